package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestMain lets the test binary be the other process of a benchmark, as the command is.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "-side" {
		if err := serveSide(os.Args[2], os.Args[3:]); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Each kind of work that a duo is measured with gets through, and the file that was written is the body.
func TestDuo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d, err := newDuo(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.close(); err != nil {
			t.Error(err)
		}
	})
	raw, err := d.raw()
	if err != nil {
		t.Fatal(err)
	}
	for name, work := range map[string]func() error{"raw": raw, "floor": d.floor(), "refused read": d.refusedRead()} {
		for range 2 {
			if err := work(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	body, err := os.Create(filepath.Join(dir, "body"))
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close() // a test file
	if _, err := body.WriteString("small"); err != nil {
		t.Fatal(err)
	}
	if err := d.write(body); err != nil {
		t.Fatal(err)
	}
	written := filepath.Join(dir, "duo", "workspace", "incoming", "file")
	if text, err := os.ReadFile(written); err != nil || string(text) != "small" {
		t.Errorf("got %q (%v), want the body", text, err)
	}
	before, err := d.mallocs()
	if err != nil {
		t.Fatal(err)
	}
	if after, err := d.mallocs(); err != nil || after <= before {
		t.Errorf("got %d allocations after %d (%v), want more", after, before, err)
	}
}

// A desk tells a cycle on a new table, on a full one, and the refusal of a prepare without room.
func TestDesk(t *testing.T) {
	t.Parallel()
	d, err := newDesk()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.close(); err != nil {
			t.Error(err)
		}
	})
	if took, err := d.freshCycle(); err != nil || took <= 0 {
		t.Errorf("got %s (%v), want a cycle", took, err)
	}
	busy, err := d.busyRouter()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.asks(d.prepare("late", sessionNumber(9)), "rejected", "preparation_capacity"); err != nil {
		t.Error(err)
	}
	if err := shut(busy); err != nil {
		t.Error(err)
	}
}

func TestSideThatIsNone(t *testing.T) {
	t.Parallel()
	if _, _, err := startSide("none"); err == nil {
		t.Error("got no error, want one for a side that is none")
	}
}

// The meter sees memory that is held, its peak after it was given back, and the time that went by.
func TestMeter(t *testing.T) {
	m := &meter{}
	idle, err := m.watch()
	if err != nil {
		t.Fatal(err)
	}
	const size = 64 << 20
	block := make([]byte, size)
	for i := range block {
		block[i] = byte(i)
	}
	full, err := m.read()
	if err != nil || full.Peak < idle.Held+size || full.Held < idle.Held+size {
		t.Errorf("got %+v after %+v (%v), want %d bytes more", full, idle, err, size)
	}
	if block[5] != 5 || full.CPU <= idle.CPU {
		t.Errorf("got %f s of processor time after %f, want more", full.CPU, idle.CPU)
	}
}

func TestChosen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		list string
		want int
		bad  bool
	}{{"", len(benches()), false}, {"B2", 1, false}, {"B9,B3", 3, false}, {"B1", 0, true}, {"B2,", 0, true}} {
		got, err := chosen(c.list)
		if len(got) != c.want || (err != nil) != c.bad {
			t.Errorf("%q: got %d benchmarks and %v, want %d and an error: %t", c.list, len(got), err, c.want, c.bad)
		}
	}
}

func TestQuantiles(t *testing.T) {
	t.Parallel()
	var sorted []time.Duration
	for n := range 200 {
		sorted = append(sorted, time.Duration(n)*time.Second)
	}
	if got := quantiles(sorted, 50, 99); got[0] != 100 || got[1] != 198 {
		t.Errorf("got %v, want 100 and 198 seconds", got)
	}
}
