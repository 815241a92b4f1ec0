package runner

// Request is a request document after its shape was checked, compact or complete (runner 2.2 and 2.3).
type Request struct {
	Complete      bool // the complete schema applies (runner 3.2)
	SchemaVersion string
	Versions      []string
	Required      []string
	Optional      []string

	// Complete requests only.
	RunKey             string
	Selection          Selection
	Input              Input
	TimeoutMS          int64 // 1 to 86400000, normalised from any exact spelling (runner 3.1)
	AllowPaidExecution bool
}

// Selection names exactly one unit. Trial and attempt are one-based ordinals, not counts.
type Selection struct {
	Shard   string `json:"shard"`
	Task    string `json:"task"`
	Trial   int    `json:"trial"`
	Attempt int    `json:"attempt"`
}

// Input is the captured work: YAML texts, never paths.
type Input struct {
	Shard string
	Eval  string
	Task  string
}
