package admission

import (
	"fmt"
	"slices"
	"strings"

	"parley/runner"
)

// pickProfile finds the one profile that a request asks for. A profile named as optional only never enables execution
// (runner 1.1).
func pickProfile(r *runner.Request) (runner.Profile, *runner.Finding) {
	const path = "/required_capabilities"
	named := requiredProfiles(r)
	switch {
	case !slices.Contains(r.Required, runner.CapExactUnit):
		return runner.Profile{}, &runner.Finding{Code: runner.CodeProfileRequired, Document: runner.InRequest, Path: path,
			Expected: fmt.Sprintf("%q and one profile", runner.CapExactUnit), Found: list(r.Required)}
	case len(named) == 0:
		return runner.Profile{}, &runner.Finding{Code: runner.CodeProfileRequired, Document: runner.InRequest, Path: path,
			Expected: "one profile: " + strings.Join(profileNames(), " or "), Found: list(r.Required),
			Hint: "a profile that is only optional never enables execution"}
	case len(named) > 1:
		return runner.Profile{}, &runner.Finding{Code: runner.CodeProfileConflict, Document: runner.InRequest, Path: path,
			Expected: "exactly one profile", Found: fmt.Sprintf("%q and %q", named[0].Capability, named[1].Capability)}
	}
	return named[0], nil
}

func requiredProfiles(r *runner.Request) []runner.Profile {
	return slices.DeleteFunc(runner.Profiles(), func(p runner.Profile) bool { return !slices.Contains(r.Required, p.Capability) })
}

func requiresPaid(r *runner.Request) bool {
	return slices.ContainsFunc(requiredProfiles(r), func(p runner.Profile) bool { return p.Paid })
}

func profileNames() []string {
	var names []string
	for _, p := range runner.Profiles() {
		if p.Advertised {
			names = append(names, p.Capability)
		}
	}
	return names
}

// list shows the first few names of a long list.
func list(names []string) string {
	const most = 4
	if len(names) == 0 {
		return "an empty list"
	}
	s := strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		s += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return s
}
