package frontend

import "parley/examples"

// Samples lists the requests that ship with the program in the order of the menu: what works first, then what each
// kind of refusal looks like.
func Samples() []Sample {
	list := []Sample{
		{Name: "unit", Title: "berth-7", About: "One exact unit on the mock engine; both checks pass."},
		{Name: "failing-check", Title: "berth-7, failing check", About: "The same unit with an expectation that is not met: a result, not an error."},
		{Name: "exact-numbers", Title: "berth-7, other spelling", About: "Trial 3.0, attempt 10e-1: other text, the same unit and identity."},
		{Name: "negotiation", Title: "Negotiation with fallback", About: "Compact; offers 9.9 and 1.0 and one optional name that nobody has."},
		{Name: "unsupported-version", Title: "Unsupported version", About: "Compact; offers only versions that are not spoken here."},
		{Name: "unsupported-capability", Title: "Unsupported capability", About: "A unit that requires a capability that is not offered."},
		{Name: "several-errors", Title: "Several errors", About: "Five faults of the request text, each marked at its place."},
		{Name: "captured-errors", Title: "Errors in the eval", About: "A valid request whose captured YAML breaks two rules."},
		{Name: "trial-out-of-range", Title: "Trial out of range", About: "Selects trial 5 of 4: refused at validation."},
		{Name: "paid-profile", Title: "Paid profile", About: "Asks for a paid profile, which this program does not offer."},
	}
	for i := range list {
		list[i].Body, _ = examples.Runner(list[i].Name) // a test proves that every name is there
	}
	return list
}

// SampleNamed gives one sample by its name in the address.
func SampleNamed(name string) (Sample, bool) {
	for _, s := range Samples() {
		if s.Name == name {
			return s, true
		}
	}
	return Sample{}, false
}
