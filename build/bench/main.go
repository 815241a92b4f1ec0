// Command bench measures Parley against baselines taken in the same run, prints one line a benchmark and writes
// bench.json. Every figure is a ratio; absolute times are no result. It listens on loopback only, works in a temporary
// folder and leaves nothing else behind. It exits 1 when a must-line is missed; a noisy machine gives no verdict.
//
// With -only B2,B7 it runs these alone. Where a peer belongs into another process, the command starts itself with
// -side; nobody else uses that flag.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
)

func main() {
	only := flag.String("only", "", "benchmarks to run, such as B2,B7; all when empty")
	part := flag.String("side", "", "be this side of a benchmark, for another process")
	flag.Parse()
	var err error
	if *part != "" {
		err = serveSide(*part, flag.Args())
	} else {
		err = run(*only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is one benchmark: it works in dir and adds its lines to the report.
type bench struct {
	name string
	run  func(r *report, dir string) error
}

// benches are all of them, in the order of the report.
func benches() []bench {
	return []bench{
		{"B2", benchRoundTrip},
		{"B3", benchNegotiate},
		{"B3", benchLargeNegotiate},
		{"B7", benchTransfer},
		{"B8", benchAdmissions},
		{"B9", benchConnections},
		{"B10", benchStart},
	}
}

// chosen gives the benchmarks that a list of names asks for.
func chosen(list string) ([]bench, error) {
	if list == "" {
		return benches(), nil
	}
	names := strings.Split(list, ",")
	for _, name := range names {
		if !slices.ContainsFunc(benches(), func(b bench) bool { return b.name == name }) {
			return nil, fmt.Errorf("-only: no benchmark is named %q", name)
		}
	}
	return slices.DeleteFunc(benches(), func(b bench) bool { return !slices.Contains(names, b.name) }), nil
}

func run(only string) error {
	selected, err := chosen(only)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "parley-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r := newReport(os.Stdout)
	for _, b := range selected {
		if err := b.run(r, dir); err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
	}
	if err := r.write("bench.json"); err != nil {
		return err
	}
	if n := r.missed(); n > 0 {
		return fmt.Errorf("%d must-lines are missed", n)
	}
	return nil
}
