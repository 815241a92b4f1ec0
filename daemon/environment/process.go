package environment

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

const (
	graceTime = 3 * time.Second        // between asking processes to end and ending them
	killTime  = 5 * time.Second        // for the system to end them
	drainTime = time.Second            // for output that a process outside the group keeps open
	pollTime  = 10 * time.Millisecond  // between two looks at the group while it ends
	watchTime = 500 * time.Millisecond // between two looks while the command runs: a look at 500 processes costs about 5 ms
	// markName is a variable that finds descendants which left the process group.
	markName = "PARLEY_STEP"
)

// run runs one program to its end, in a process group of its own. It returns when the group has ended: what is left of
// it after the program itself is ended too. When ctx ends first, the group is asked to end, then made to.
func (e *Environment) run(ctx context.Context, dir, program string, arguments ...string) Outcome {
	label := filepath.Base(program)
	path, err := e.find(program)
	if err != nil {
		return outcomeOf(fmt.Errorf("run %s: %w", label, err))
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		return outcomeOf(fmt.Errorf("run %s: make pipe: %w", label, err))
	}
	defer reader.Close() // read to its end before
	mark := markName + "=" + rand.Text()
	command := exec.Command(path, arguments...)
	command.Dir, command.Env = dir, append(e.Environ(), mark)
	command.Stdout, command.Stderr = writer, writer
	group := newGroup(mark)
	defer group.release()
	err = e.start(group, command)
	_ = writer.Close() // the child has its own
	if err != nil {
		return outcomeOf(fmt.Errorf("run %s: start: %w", label, err))
	}
	tail := drain(reader, e.secrets())
	interrupted, err := e.join(ctx, group, command)
	_ = reader.SetReadDeadline(time.Now().Add(drainTime)) // a pipe takes deadlines; without one it is read to its end
	outcome := verdict(command.ProcessState, interrupted, err)
	outcome.Tail, outcome.LeftBehind = <-tail, group.left()
	if outcome.Err != nil {
		outcome.Err = fmt.Errorf("run %s: %w", label, outcome.Err)
	}
	return outcome
}

// start starts the command. As long as anything of it may run, the Environment's folder holds a record by which the next
// Runtime finds it.
func (e *Environment) start(g *group, command *exec.Cmd) error {
	if err := g.start(command, func() error { return e.remember(g) }); err != nil {
		return errors.Join(err, e.forget())
	}
	return nil
}

// verdict tells the outcome of a command. A command that ended by itself has its own outcome even if the context ended
// meanwhile (behaviour 7.1).
func verdict(state *os.ProcessState, interrupted bool, err error) Outcome {
	switch {
	case err != nil:
		return Outcome{State: Unknown, Err: err}
	case interrupted:
		return Outcome{State: Unknown, Err: ErrInterrupted}
	}
	switch code := state.ExitCode(); {
	case code == 0:
		return Outcome{State: Completed}
	case code > 0 && code <= 255:
		return Outcome{State: Failed, ExitCode: code, Err: fmt.Errorf("it ended with exit code %d", code)}
	case code == -1:
		return Outcome{State: Failed, Err: fmt.Errorf("it ended without an exit code: %s", state)}
	default:
		return Outcome{State: Unknown, Err: fmt.Errorf("it ended with %d, which is no exit code from 0 to 255", code)}
	}
}

// join waits for the leader or the context, then ends what is left of the group. The error means that processes still
// run; it then is not known what they do, and the record of them stays.
func (e *Environment) join(ctx context.Context, g *group, leader *exec.Cmd) (interrupted bool, err error) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = leader.Wait() // what it says is in ProcessState
	}()
	interrupted = g.watchUntil(ctx, ended)
	note := func() { _ = e.remember(g) } // an older record is there, and the processes are being ended
	_ = g.end(note)                      // asked again when the leader has been waited for
	deadline := time.NewTimer(killTime)
	defer deadline.Stop()
	select {
	case <-ended:
	case <-deadline.C:
		return interrupted, fmt.Errorf("%w: the command does not end", ErrStillRunning)
	}
	if !g.end(note) { // again: an orphan may have come to this process meanwhile
		return interrupted, fmt.Errorf("%w: what the command started does not end", ErrStillRunning)
	}
	_ = e.forget() // the next Runtime finds nothing by it
	return interrupted, nil
}

// watchUntil watches the group until its leader has ended, or the context before it.
func (g *group) watchUntil(ctx context.Context, ended <-chan struct{}) (interrupted bool) {
	ticker := time.NewTicker(watchTime)
	defer ticker.Stop()
	for {
		select {
		case <-ended:
			return false
		case <-ticker.C:
			g.watch()
		case <-ctx.Done():
			select {
			case <-ended:
				return false
			default:
				return true
			}
		}
	}
}

// end asks the group to end, then makes it; false when it runs on. What is known of a group that runs is noted before.
func (g *group) end(note func()) bool {
	if !g.alive() {
		return true
	}
	note()
	g.ask()
	if g.goneWithin(graceTime) {
		return true
	}
	for until := time.Now().Add(killTime); time.Now().Before(until); {
		g.kill() // again each time: it may have started others
		if g.goneWithin(10 * pollTime) {
			return true
		}
	}
	return false
}

func (g *group) goneWithin(limit time.Duration) bool {
	ticker := time.NewTicker(pollTime)
	defer ticker.Stop()
	for until := time.Now().Add(limit); time.Now().Before(until); <-ticker.C {
		if !g.alive() {
			return true
		}
	}
	return !g.alive()
}
