package wiretest

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// describe names a step in a few words.
func (s *Step) describe() string {
	switch s.Kind {
	case StepFrame:
		if s.Raw != nil {
			return fmt.Sprintf("%s sends a message of its own", s.From)
		}
		return fmt.Sprintf("%s sends %s", s.From, s.Type)
	case StepUnordered:
		return fmt.Sprintf("%s sends %d frames in any order", s.From, len(s.Alternatives))
	case StepSilent:
		return fmt.Sprintf("%s is silent", s.From)
	case StepSettle:
		return "held native work is let go"
	case StepLose:
		return "the connection is lost"
	case StepReconnect:
		return "the runtime connects again, heartbeat first"
	case StepClose:
		return fmt.Sprintf("%s closes the connection", s.From)
	case StepDial:
		return "the runtime dials and is refused"
	case StepStopped:
		return "the runtime makes no further attempt"
	case StepWake:
		return "the runtime is woken"
	case StepHTTP:
		return fmt.Sprintf("%s %s", s.HTTP.Method, s.HTTP.Path)
	case StepObserve:
		return fmt.Sprintf("core observes its %s", s.Observed.Of)
	case StepPull:
		return "core pulls a whole export"
	}
	return string(s.Kind)
}

// PrintJSON writes the report as one JSON document.
func (r *Report) PrintJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(r); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// Print writes one result for a person: a line, and after a failure what to look at.
func (r *Result) Print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%-14s %s: %s\n", strings.ReplaceAll(string(r.Verdict), "_", " "), r.Scenario, r.Title)
	if r.Reason != "" {
		fmt.Fprintf(&b, "%15s%s\n", "", r.Reason)
	}
	if f := r.Failure; f != nil {
		f.print(&b)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

func (f *Failure) print(b *strings.Builder) {
	fmt.Fprintf(b, "  %s: %s", f.Where, f.What)
	if f.Line > 0 {
		fmt.Fprintf(b, " (%s, line %d)", f.File, f.Line)
	}
	fmt.Fprintf(b, "\n  difference: %s\n", f.Difference)
	if f.Expected != nil {
		fmt.Fprintf(b, "  expected:\n%s\n  seen:\n%s\n", indented(f.Expected), indented(f.Seen))
	}
	fmt.Fprintf(b, "  rule: %s (docs/contracts)\n", f.Section)
	if f.Hint != "" {
		fmt.Fprintf(b, "  hint: %s\n", f.Hint)
	}
}

func indented(value any) string {
	if text, isText := value.(string); isText {
		return "    " + text
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("    ", "  ")
	if encoder.Encode(value) != nil {
		return fmt.Sprintf("    %v", value)
	}
	return "    " + strings.TrimSuffix(b.String(), "\n")
}

// PrintSummary writes the last lines of a report.
func (r *Report) PrintSummary(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%d passed, %d failed, %d not run, %d not applicable; the %s was under test, wire version %s\n",
		r.Passed, r.Failed, r.NotRun, r.Other, r.Side, r.Version)
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}
