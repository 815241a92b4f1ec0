package lab

import (
	"errors"
	"fmt"
	"os/exec"
)

// Lab is a lab that answers.
type Lab struct {
	OpenURL string // its address with a one-time token, for the window; short-lived
	PID     int    // of the process that serves

	child *child // nil where somebody else started it
}

// Find looks for a running lab and gives a fresh link to it, or false where none runs.
type Find func() (openURL string, pid int, running bool, err error)

// Open gives the running lab, or starts command and gives that. The command prints its readiness line on standard
// output and ends when its standard input closes. A command that refuses is no error if a lab runs by then: two windows
// may be opened at the same moment.
func Open(find Find, command *exec.Cmd) (*Lab, error) {
	if l, err := attach(find); err == nil {
		return l, nil
	}
	l, startErr := start(command)
	if startErr == nil {
		return l, nil
	}
	l, err := attach(find)
	if errors.Is(err, errNoneRuns) {
		return nil, startErr
	}
	if err != nil {
		return nil, errors.Join(startErr, err)
	}
	return l, nil
}

// errNoneRuns says that there is no lab to attach to.
var errNoneRuns = errors.New("no lab runs on the data folder")

func attach(find Find) (*Lab, error) {
	openURL, pid, running, err := find()
	if err != nil {
		return nil, fmt.Errorf("look for a running lab: %w", err)
	}
	if !running {
		return nil, errNoneRuns
	}
	return &Lab{OpenURL: openURL, PID: pid}, nil
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
