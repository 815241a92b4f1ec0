// Command bench measures Parley against baselines taken in the same run, prints one line a benchmark and writes
// bench.json. Every figure is a ratio; absolute times are no result. It listens on loopback only, works in a temporary
// folder and leaves nothing else behind. It exits 1 when a must-line is missed; a noisy machine gives no verdict.
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	dir, err := os.MkdirTemp("", "parley-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r := newReport(os.Stdout)
	for _, bench := range []func(*report, string) error{benchNegotiate, benchLargeNegotiate, benchStart} {
		if err := bench(r, dir); err != nil {
			return err
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
