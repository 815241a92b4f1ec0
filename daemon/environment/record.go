package environment

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
)

// stepFile is there while processes of a step may run.
const stepFile = "step.json"

// record is what finds the processes of a step again after this process was killed. The number of a process says nothing
// by itself: it is given again.
type record struct {
	Boot      string  `json:"boot"` // which start of the system the rest is about
	Mark      string  `json:"mark"` // NAME=value in the environment of the step's processes
	Group     int     `json:"group,omitzero"`
	Processes []birth `json:"processes,omitzero"`
}

// birth tells a process from every other one of the same boot.
type birth struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start"` // clock ticks since the boot
}

// remember writes the record of a group, whole or not at all. It is not made safe from a power failure, which the
// processes do not survive either.
func (e *Environment) remember(g *group) error {
	known, ok := g.record()
	if !ok {
		return nil // nothing could be found by it here
	}
	data, err := json.Marshal(known)
	if err == nil {
		err = e.root.WriteFile(stepFile+".new", data, privateFile)
	}
	if err == nil {
		err = e.root.Rename(stepFile+".new", stepFile)
	}
	if err != nil {
		return fmt.Errorf("record processes: %w", err)
	}
	return nil
}

func (e *Environment) forget() error {
	if err := e.root.Remove(stepFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove record of processes: %w", err)
	}
	return nil
}

// endSurvivors ends what still runs of a step whose Runtime was killed. It takes up to 8 s.
func (e *Environment) endSurvivors() error {
	data, err := e.root.ReadFile(stepFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", stepFile, err)
	}
	var known record
	if json.Unmarshal(data, &known) != nil {
		return e.forget() // only a power failure leaves half a record, and no process
	}
	if g := survivors(known); g != nil && !g.end(func() {}) {
		return fmt.Errorf("%w: %v are left of a step whose Runtime was killed; end them, then start again", ErrStillRunning, g.left())
	}
	return e.forget()
}
