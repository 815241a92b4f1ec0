package lab

import (
	"fmt"
	"os/exec"
)

// Lab is a lab that answers.
type Lab struct {
	URL     string // its address, for people
	OpenURL string // its address with a one-time token, for the window; short-lived
	PID     int    // of the process that serves

	child *child // nil where somebody else started it
}

// Find looks for a running lab and gives a fresh link to it, or false where none runs.
type Find func() (openURL string, pid int, running bool, err error)

// Open gives the running lab, or starts command and gives that. The command prints its readiness line on standard
// output and ends when its standard input closes.
func Open(find Find, command *exec.Cmd) (*Lab, error) {
	openURL, pid, running, err := find()
	if err != nil {
		return nil, fmt.Errorf("look for a running lab: %w", err)
	}
	if running {
		return &Lab{OpenURL: openURL, PID: pid}, nil
	}
	return start(command)
}

// Ended closes when a lab that Open started has ended; for a lab of somebody else it never does.
func (l *Lab) Ended() <-chan struct{} {
	if l.child == nil {
		return nil
	}
	return l.child.ended
}

// Close ends a lab that Open started and says how it ended. It may be called again.
func (l *Lab) Close() error {
	if l.child == nil {
		return nil
	}
	return l.child.stop()
}
