package main

import (
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// direction says which side of a goal is good.
type direction bool

const (
	atLeast direction = true
	atMost  direction = false
)

// goal is what a benchmark must reach and what it aims for; without a must the figure is only recorded. Hard goals count what noise cannot move.
type goal struct {
	Must, Aim float64
	Good      direction
	Hard      bool
}

// slack widens the must-line of a soft goal: time on a shared machine is no exact gauge.
const slack = 0.10

// result is one line of the report.
type result struct {
	Name    string  `json:"name"`
	Min     float64 `json:"min"`
	Median  float64 `json:"median"`
	Max     float64 `json:"max"`
	Noise   float64 `json:"noise"`
	Must    float64 `json:"must,omitzero"`
	Aim     float64 `json:"aim,omitzero"`
	Verdict string  `json:"verdict"` // ok, missed, noisy or recorded
	// Counted is the figure itself where the ratio is to a kept number: see Unit.
	Counted float64 `json:"counted,omitzero"`
	Unit    string  `json:"unit,omitzero"`
}

func judge(name string, f figures, g goal) result {
	r := result{Name: name, Min: f.Min, Median: f.Median, Max: f.Max, Noise: f.Noise, Must: g.Must, Aim: g.Aim, Verdict: "ok"}
	switch {
	case g.Must == 0:
		r.Verdict = "recorded"
	case !g.Hard && f.Noise > maxNoise:
		r.Verdict = "noisy"
	case !g.reached(f.Median):
		r.Verdict = "missed"
	}
	return r
}

func (g goal) reached(x float64) bool {
	must := g.Must
	if g.Good == atLeast {
		if !g.Hard {
			must *= 1 - slack
		}
		return x >= must
	}
	if !g.Hard {
		must *= 1 + slack
	}
	return x <= must
}

func (r result) line() string {
	s := fmt.Sprintf("%-22s %.2f/%.2f/%.2f", r.Name, r.Min, r.Median, r.Max)
	if r.Must != 0 {
		s += fmt.Sprintf(" must %.2f", r.Must)
	}
	if r.Aim != 0 {
		s += fmt.Sprintf(" aim %.2f", r.Aim)
	}
	if r.Unit != "" {
		s += fmt.Sprintf(" (%.4g %s)", r.Counted, r.Unit)
	}
	return s + " " + r.Verdict
}

// report prints one line a benchmark as it ends and keeps all of them for the file.
type report struct {
	out     io.Writer
	Go      string   `json:"go"`
	CPUs    int      `json:"cpus"`
	Results []result `json:"results"`
}

func newReport(out io.Writer) *report {
	return &report{out: out, Go: runtime.Version(), CPUs: runtime.NumCPU()}
}

func (r *report) add(name string, f figures, g goal) { r.put(judge(name, f, g)) }

// count adds a figure that does not vary: x against its baseline.
func (r *report) count(name string, x, baseline float64, unit string, g goal) {
	ratio := x / baseline
	row := judge(name, figures{Min: ratio, Median: ratio, Max: ratio}, g)
	row.Counted, row.Unit = x, unit
	r.put(row)
}

func (r *report) put(row result) {
	fmt.Fprintln(r.out, row.line())
	r.Results = append(r.Results, row)
}

func (r *report) write(file string) error {
	text, err := json.Marshal(r, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o600)
}

func (r *report) missed() int {
	n := 0
	for _, row := range r.Results {
		if row.Verdict == "missed" {
			n++
		}
	}
	return n
}
