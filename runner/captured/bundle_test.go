package captured_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/runner"
	"parley/runner/captured"
)

// pair is one field of a document with its value as YAML text; a path has at most one dot.
type pair struct{ path, value string }

// document is a captured text as fields, so that a test can set one and keep the rest.
type document []pair

// omit as a value leaves the field out.
const omit = "-"

// set gives a copy with one field changed, added or left out.
func (d document) set(path, value string) document {
	d = slices.Clone(d)
	i := slices.IndexFunc(d, func(p pair) bool { return p.path == path })
	if i < 0 {
		return append(d, pair{path, value})
	}
	d[i].value = value
	return d
}

// String writes the document in block style, one field a line.
func (d document) String() string {
	var b strings.Builder
	open := map[string]bool{}
	for _, p := range d {
		if p.value == omit {
			continue
		}
		section, _, nested := strings.Cut(p.path, ".")
		if !nested {
			b.WriteString(p.path + ": " + p.value + "\n")
			continue
		}
		if open[section] {
			continue
		}
		open[section] = true
		b.WriteString(section + ":\n")
		for _, q := range d {
			if below, ok := strings.CutPrefix(q.path, section+"."); ok && q.value != omit {
				b.WriteString("  " + below + ": " + q.value + "\n")
			}
		}
	}
	return b.String()
}

func mock() runner.Profile    { return runner.Profiles()[0] }
func copilot() runner.Profile { return runner.Profiles()[1] }

func baseEval(p runner.Profile) document {
	return document{
		{"schemaVersion", `"2.0"`}, {"scenario", "tidal-log"}, {"name", "Tidal log"},
		{"config.executor", p.Executor}, {"config.model", "harbor-stub"}, {"config.trials_per_task", "4"},
		{"config.max_attempts", "2"}, {"config.timeout_seconds", "20"},
		{"tasks", "[never-opened/*.yaml]"},
		{"graders", "[{type: text, name: says-mooring, config: {contains: [mooring]}}]"},
	}
}

func baseTask() document {
	return document{
		{"id", "berth-7"}, {"name", "Berth seven"},
		{"inputs.prompt", "Report the mooring at berth seven"},
		{"expected.output_contains", "[berth]"},
	}
}

// request is a complete request that every base document fits.
func request(eval, task string) *runner.Request {
	return &runner.Request{
		Complete: true, RunKey: "tide-2031", TimeoutMS: 45000, AllowPaidExecution: true,
		Selection: runner.Selection{Shard: "quay-east", Task: "berth-7", Trial: 3, Attempt: 1},
		Input:     runner.Input{Shard: "quay-east", Eval: eval, Task: task},
	}
}

// one admits and wants exactly one finding, or a unit when code is "".
func one(t *testing.T, req *runner.Request, p runner.Profile, code runner.Code) runner.Finding {
	t.Helper()
	unit, found := captured.Admit(req, p)
	switch {
	case code == "" && (unit == nil || len(found) > 0):
		t.Fatalf("%s: got findings %v, want a unit", p.Capability, messages(found))
	case code == "":
		return runner.Finding{}
	case unit != nil || len(found) != 1 || found[0].Code != code:
		t.Fatalf("%s: got unit %v and findings %v, want one %s", p.Capability, unit != nil, messages(found), code)
	}
	if f := found[0]; f.Expected == "" || f.Found == "" {
		t.Errorf("got finding %+v, want it to say expected and found", f)
	}
	return found[0]
}

func messages(found []runner.Finding) []string {
	var all []string
	for _, f := range found {
		all = append(all, string(f.Code)+": "+f.Message())
	}
	return all
}

// at gives the text from the place of a finding on.
func at(t *testing.T, text string, f runner.Finding) string {
	t.Helper()
	lines := strings.Split(text, "\n")
	if f.Line < 1 || f.Line > len(lines) || f.Column < 1 || f.Column > utf8.RuneCountInString(lines[f.Line-1])+1 {
		t.Fatalf("got line %d column %d, want a place in the text", f.Line, f.Column)
	}
	return string([]rune(lines[f.Line-1])[f.Column-1:])
}
