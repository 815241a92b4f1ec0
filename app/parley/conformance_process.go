package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// stopPatience is how long a program may take to end after it was asked to.
const stopPatience = 10 * time.Second

// shellProcess is a program that a person named, running.
type shellProcess struct {
	command *exec.Cmd
	cancel  context.CancelFunc
	stdin   io.WriteCloser
	stdout  io.ReadCloser
}

// shell makes the command of a command line of the system's shell.
func shell(ctx context.Context, line string, log io.Writer) *exec.Cmd {
	command := exec.CommandContext(ctx, "sh", "-c", line)
	if runtime.GOOS == "windows" {
		command = exec.CommandContext(ctx, "cmd", "/C", line)
	}
	command.Stderr = log
	command.WaitDelay = stopPatience
	inOwnGroup(command)
	return command
}

// runShell runs a command line to its end.
func runShell(ctx context.Context, line string, log io.Writer) error {
	command := shell(ctx, line, log)
	command.Stdout = log
	if err := command.Run(); err != nil {
		return fmt.Errorf("run %q: %w", line, err)
	}
	return nil
}

// startShell starts a command line. Its standard error goes to the log, and with piped unset its standard output too.
func startShell(ctx context.Context, line string, log io.Writer, piped bool, environment ...string) (*shellProcess, error) {
	ctx, cancel := context.WithCancel(ctx)
	command := shell(ctx, line, log)
	command.Env = append(os.Environ(), environment...)
	p := &shellProcess{command: command, cancel: cancel}
	var err error
	command.Stdout = log
	if piped {
		command.Stdout = nil
		p.stdin, err = command.StdinPipe()
	}
	if err == nil && piped {
		p.stdout, err = command.StdoutPipe()
	}
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		cancel()
		return nil, fmt.Errorf("start %q: %w", line, err)
	}
	return p, nil
}

// stop asks the program to end and waits for it.
func (p *shellProcess) stop() {
	p.cancel()
	_ = p.command.Wait() // ended by us: how is of no interest
}
