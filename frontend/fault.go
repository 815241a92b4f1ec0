package frontend

// Fault is something that did not work, in four parts: what failed, why, what that means for the data, what to do next.
// The code is stable; support searches for it.
type Fault struct {
	What  string
	Why   string
	Means string
	Code  string
	Next  []Link
}
