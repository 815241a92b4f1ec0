package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// event is one line of `go test -json`.
type event struct {
	Action     string
	Package    string
	ImportPath string
	Test       string
	Output     string
	Elapsed    float64 // seconds
}

// name identifies a test in the whole tree.
func (e event) name() string { return e.Package + "." + e.Test }

// skip is one test that did not run.
type skip struct{ name, reason string }

// report prints while events arrive. It is used by one goroutine.
type report struct {
	out    io.Writer
	output map[string]*strings.Builder // by test, until the test has ended
	skips  []skip
	tests  int
}

func newReport(out io.Writer) *report {
	return &report{out: out, output: map[string]*strings.Builder{}}
}

// read takes events until the stream ends. A line that is no event is an error: the count would be wrong.
func (r *report) read(events io.Reader) error {
	decoder := json.NewDecoder(events)
	for {
		var e event
		err := decoder.Decode(&e)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			_, _ = io.Copy(io.Discard, events) // go test must be able to end
			return fmt.Errorf("read the output of go test: %w", err)
		}
		r.take(e)
	}
}

func (r *report) take(e event) {
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "output":
		r.keep(e)
	case "pass", "fail", "skip":
		r.end(e)
	}
}

func (r *report) keep(e event) {
	kept, ok := r.output[e.name()]
	if !ok {
		kept = &strings.Builder{}
		r.output[e.name()] = kept
	}
	kept.WriteString(e.Output)
}

// end prints what one test or, with an empty test name, one package has left behind.
func (r *report) end(e event) {
	text := ""
	if kept, ok := r.output[e.name()]; ok {
		text = kept.String()
		delete(r.output, e.name())
	}
	if e.Action == "fail" {
		fmt.Fprint(r.out, text)
	}
	if e.Test == "" {
		r.endPackage(e)
		return
	}
	r.tests++
	if e.Action == "skip" {
		r.skips = append(r.skips, skip{name: e.name(), reason: reason(text)})
	}
}

func (r *report) endPackage(e event) {
	word := map[string]string{"pass": "ok", "fail": "FAIL", "skip": "no tests"}[e.Action]
	fmt.Fprintf(r.out, "%-9s %-40s %6.1f s\n", word, e.Package, e.Elapsed)
}

// reason is what a skipped test printed, in one line, without go test's own marks.
func reason(output string) string {
	var said []string
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "===") && !strings.HasPrefix(line, "---") {
			said = append(said, line)
		}
	}
	if len(said) == 0 {
		return "no reason given"
	}
	return strings.Join(said, " ")
}

// finish prints the skips and says whether the run may count as complete: strict means that every skip is listed.
func (r *report) finish(listed map[string]string, strict bool) bool {
	complete := true
	for _, s := range r.skips {
		word := "skipped"
		if _, ok := listed[s.name]; !ok && strict {
			word, complete = "SKIPPED, NOT LISTED (H19)", false
		}
		fmt.Fprintf(r.out, "%s: %s: %s\n", word, s.name, s.reason)
	}
	fmt.Fprintf(r.out, "%d tests, %d skipped\n", r.tests, len(r.skips))
	return complete
}
