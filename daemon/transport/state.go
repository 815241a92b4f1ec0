package transport

import (
	"sync"
	"time"
)

// Phase is what a Link is doing.
type Phase string

// The phases.
const (
	Starting   Phase = "starting"   // Run was not called, or bootstrap is under way
	Connecting Phase = "connecting" // an attempt is under way
	Waiting    Phase = "waiting"    // for the next attempt
	Resuming   Phase = "resuming"   // woken and connected; waiting for the resume that must come first (behaviour 7.5)
	Online     Phase = "online"
	Clearing   Phase = "clearing"  // waiting for the confirmed end of the last connection's work
	Suspended  Phase = "suspended" // disconnected by plan until woken
	Stopped    Phase = "stopped"
)

// State is what people may see of a Link; no text in it holds a secret.
type State struct {
	Phase    Phase
	Since    time.Time // when this phase began
	Failures int       // consecutive failed attempts
	Next     time.Time // Waiting: when the next attempt is made
	Err      error     // what ended or prevented the last connection; in Stopped why Run ended, nil when asked to
}

// board shows the present state to other goroutines. Run's goroutine writes, or for it the handler of the connection
// that it serves.
type board struct {
	mu     sync.Mutex
	state  State
	notice func(State)
}

func (b *board) show(state State) {
	state.Since = time.Now()
	b.mu.Lock()
	b.state = state
	b.mu.Unlock()
	if b.notice != nil {
		b.notice(state)
	}
}

func (b *board) read() State {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state
}
