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
var errNotReady = errors.New("the lab did not become ready; its log on standard error says why")

// child is a lab's process. One goroutine waits for it; err is written before ended closes.
type child struct {
	command *exec.Cmd
	stdin   io.Closer
	ended   chan struct{}
	err     error
}

// ready is the line that a lab prints when it answers.
type ready struct {
	URL     string `json:"url"`
	OpenURL string `json:"open_url"`
	PID     int    `json:"pid"`
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
	lines := make(chan ready, 1)
	go c.follow(stdout, lines)
	select {
	case line, ok := <-lines:
		if ok {
			return &Lab{URL: line.URL, OpenURL: line.OpenURL, PID: line.PID, child: c}, nil
		}
	case <-time.After(startBudget):
	}
	return nil, errors.Join(errNotReady, c.stop())
}

// follow owns the process: it hands over the readiness line, if there is one, drains the rest and waits for the end.
func (c *child) follow(stdout io.Reader, lines chan<- ready) {
	defer close(c.ended)
	reader := bufio.NewReader(stdout)
	if line, err := readReady(reader); err == nil {
		lines <- line
	}
	close(lines)
	_, _ = io.Copy(io.Discard, reader) // ends with the process; a read error says no more than Wait does
	c.err = c.command.Wait()
}

// readReady reads the first line, which must be the readiness line and nothing else.
func readReady(stdout *bufio.Reader) (ready, error) {
	limited := bufio.NewReader(io.LimitReader(stdout, maxReadyLine))
	text, err := limited.ReadBytes('\n')
	if err != nil {
		return ready{}, fmt.Errorf("read the readiness line: %w", err)
	}
	var line ready
	if err := json.Unmarshal(text, &line); err != nil {
		return ready{}, fmt.Errorf("parse the readiness line: %w", err)
	}
	if line.OpenURL == "" {
		return ready{}, errNotReady
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
