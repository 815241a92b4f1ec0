package frontend

// Act is one of the three things that the runner contract does with a request (runner 1.2).
type Act string

// The three acts; the spelling is the last part of their routes and of a stored record.
const (
	ActNegotiate Act = "negotiate"
	ActValidate  Act = "validate"
	ActRun       Act = "run"
)

// word is the act as the history lists it.
func (a Act) word() string {
	switch a {
	case ActNegotiate:
		return "Check"
	case ActValidate:
		return "Validate"
	case ActRun:
		return "Run"
	}
	return string(a)
}

// noun is the act as a heading and as the object of a sentence.
func (a Act) noun() string {
	switch a {
	case ActNegotiate:
		return "Compatibility"
	case ActValidate:
		return "Validation"
	case ActRun:
		return "Run"
	}
	return string(a)
}
