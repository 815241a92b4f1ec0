package environment

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	graceTime = 3 * time.Second       // between asking processes to end and ending them
	killTime  = 5 * time.Second       // for the system to end them
	drainTime = time.Second           // for output that a process outside the group keeps open
	pollTime  = 10 * time.Millisecond // between two looks at the group
	// markName is a variable that finds descendants which left the process group.
	markName       = "PARLEY_STEP"
	minSecretBytes = 4 // shorter values, such as 1 or yes, say nothing and stand everywhere
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
	group, err := startGroup(command, mark)
	_ = writer.Close() // the child has its own
	if err != nil {
		return outcomeOf(fmt.Errorf("run %s: start: %w", label, err))
	}
	defer group.release()
	tail := drain(reader, e.secrets())
	interrupted, err := group.join(ctx, command)
	_ = reader.SetReadDeadline(time.Now().Add(drainTime)) // a pipe takes deadlines; without one it is read to its end
	outcome := verdict(command.ProcessState, interrupted, err)
	outcome.Tail = <-tail
	if outcome.Err != nil {
		outcome.Err = fmt.Errorf("run %s: %w", label, outcome.Err)
	}
	return outcome
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
// run; it then is not known what they do.
func (g *group) join(ctx context.Context, leader *exec.Cmd) (interrupted bool, err error) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = leader.Wait() // what it says is in ProcessState
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		select {
		case <-ended:
		default:
			interrupted = true
		}
	}
	g.end()
	deadline := time.NewTimer(killTime)
	defer deadline.Stop()
	select {
	case <-ended:
	case <-deadline.C:
		return interrupted, fmt.Errorf("%w: the command does not end", ErrStillRunning)
	}
	if g.alive() {
		return interrupted, fmt.Errorf("%w: what the command started does not end", ErrStillRunning)
	}
	return interrupted, nil
}

// end asks the group to end, then makes it.
func (g *group) end() {
	if !g.alive() {
		return
	}
	g.ask()
	if g.goneWithin(graceTime) {
		return
	}
	for until := time.Now().Add(killTime); time.Now().Before(until); {
		g.kill() // again each time: it may have started others
		if g.goneWithin(10 * pollTime) {
			return
		}
	}
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

// secrets are the values that no tail may show, the longest first.
func (e *Environment) secrets() []string {
	var values []string
	for _, value := range e.variables {
		if len(value) >= minSecretBytes {
			values = append(values, value)
		}
	}
	slices.SortFunc(values, func(a, b string) int { return len(b) - len(a) })
	return values
}

const tailBytes = 64 << 10

// drain reads the pipe to its end, so that the child never waits, and gives the last 64 KiB without the secrets.
func drain(reader *os.File, secrets []string) <-chan []byte {
	result := make(chan []byte, 1)
	go func() {
		keep := tailBytes
		if len(secrets) > 0 {
			keep += len(secrets[0]) // one that is cut in half at the front is cut off with it
		}
		var last []byte
		piece := make([]byte, 32<<10)
		for {
			n, err := reader.Read(piece)
			last = append(last, piece[:n]...)
			if len(last) > 2*keep {
				last = append(last[:0], last[len(last)-keep:]...)
			}
			if err != nil {
				break // its end, or the deadline
			}
		}
		result <- cleaned(last[max(0, len(last)-keep):], secrets)
	}()
	return result
}

func cleaned(output []byte, secrets []string) []byte {
	pairs := make([]string, 0, 2*len(secrets))
	for _, secret := range secrets {
		pairs = append(pairs, secret, "[hidden]")
	}
	text := []byte(strings.NewReplacer(pairs...).Replace(string(output)))
	return bytes.Clone(text[max(0, len(text)-tailBytes):])
}
