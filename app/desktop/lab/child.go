package lab

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"syscall"
	"time"
)

const (
	// startBudget bounds the wait for the readiness line: a lab is ready in tens of milliseconds, and recovering a
	// store after a crash is bounded by a second; the rest is for slow disks.
	startBudget = 20 * time.Second
	// stopBudget is how long a lab may take to end in order before it is killed.
	stopBudget = 3 * time.Second
	// maxReadyLine bounds the readiness line, in bytes.
	maxReadyLine = 64 << 10
)

// errNotReady says that the command ended, or went silent, before it was ready.
var errNotReady = errors.New("the lab did not become ready; its log on standard error says more")

// child is a lab's process. One goroutine waits for it; err is written before ended closes.
type child struct {
	command *exec.Cmd
	stdin   io.Closer
	ended   chan struct{}
	err     error
}

// ready is the line that a lab prints when it answers, or, with an error alone, when it cannot.
type ready struct {
	OpenURL string `json:"open_url,omitzero"`
	PID     int    `json:"pid,omitzero"`
	Error   string `json:"error,omitzero"`
}

// Refuse is what a lab says on its standard output in place of the readiness line, so that the window can show why.
func Refuse(stdout io.Writer, err error) {
	line, jsonErr := json.Marshal(ready{Error: err.Error()})
	if jsonErr == nil {
		_, _ = stdout.Write(append(line, '\n')) // the window may be gone; the error is returned as well
	}
}

func start(command *exec.Cmd) (*Lab, error) {
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("open the lab's standard input: %w", err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("open the lab's standard output: %w", err)
	}
	// Its own group: an interrupt typed at a terminal reaches the window program alone, which then ends the lab in order.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start the lab: %w", err)
	}
	c := &child{command: command, stdin: stdin, ended: make(chan struct{})}
	first := make(chan outcome, 1)
	go c.follow(stdout, first)
	fault := errNotReady
	select {
	case o := <-first:
		if o.err == nil {
			return &Lab{OpenURL: o.line.OpenURL, PID: o.line.PID, child: c}, nil
		}
		fault = o.err
	case <-time.After(startBudget):
	}
	return nil, errors.Join(fault, c.stop())
}

// outcome is the readiness line, or why there is none.
type outcome struct {
	line ready
	err  error
}

// follow owns the process: it hands over the first line, drains the rest and waits for the end.
func (c *child) follow(stdout io.Reader, first chan<- outcome) {
	defer close(c.ended)
	reader := bufio.NewReader(stdout)
	line, err := readReady(reader)
	first <- outcome{line, err}
	_, _ = io.Copy(io.Discard, reader) // ends with the process; a read error says no more than Wait does
	c.err = c.command.Wait()
}

// readReady reads the first line, which must be the readiness line and nothing else.
func readReady(stdout *bufio.Reader) (ready, error) {
	limited := bufio.NewReader(io.LimitReader(stdout, maxReadyLine))
	text, err := limited.ReadBytes('\n')
	if err != nil {
		return ready{}, errNotReady // nothing, or no end of it
	}
	var line ready
	err = json.Unmarshal(text, &line)
	switch {
	case err != nil:
		return ready{}, fmt.Errorf("%w: its first line is no readiness line: %w", errNotReady, err)
	case line.Error != "":
		return ready{}, errors.New(line.Error)
	case line.OpenURL == "":
		return ready{}, fmt.Errorf("%w: its readiness line has no open_url", errNotReady)
	}
	return line, nil
}

// stop closes standard input, waits, and kills the group after stopBudget.
func (c *child) stop() error {
	_ = c.stdin.Close() // closed already where stop was called before
	select {
	case <-c.ended:
		return c.exit()
	case <-time.After(stopBudget):
	}
	err := syscall.Kill(-c.command.Process.Pid, syscall.SIGKILL)
	if err != nil && !errors.Is(err, syscall.ESRCH) { // ESRCH: it ended just now
		return fmt.Errorf("kill the lab, which did not end within %s: %w", stopBudget, err)
	}
	<-c.ended
	return fmt.Errorf("end the lab: it was killed after %s", stopBudget)
}

func (c *child) exit() error {
	if c.err != nil {
		return fmt.Errorf("end the lab: %w", c.err)
	}
	return nil
}
