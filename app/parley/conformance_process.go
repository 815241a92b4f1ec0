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
	said    *lastWords
	ended   chan struct{}
	stdin   io.WriteCloser // of a piped one
	stdout  *os.File
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
	p := &shellProcess{cancel: cancel, said: &lastWords{log: log}, ended: make(chan struct{})}
	p.command = shell(ctx, line, p.said)
	p.command.Env = append(os.Environ(), environment...)
	if err := p.start(piped); err != nil {
		cancel()
		return nil, fmt.Errorf("start %q: %w", line, err)
	}
	go func() {
		defer close(p.ended)
		_ = p.command.Wait() // how it ended is read from its state
	}()
	return p, nil
}

func (p *shellProcess) start(piped bool) error {
	if !piped {
		p.command.Stdout = p.said
		return p.command.Start()
	}
	stdin, err := p.command.StdinPipe()
	if err != nil {
		return err
	}
	// A pipe of our own: the library's is closed as soon as the program ends, with what was not read yet.
	reader, writer, err := os.Pipe()
	if err != nil {
		return err
	}
	defer writer.Close() // the program has its own
	p.command.Stdout, p.stdin, p.stdout = writer, stdin, reader
	if err := p.command.Start(); err != nil {
		_ = reader.Close()
		return err
	}
	return nil
}

// stop asks the program to end and waits for it.
func (p *shellProcess) stop() {
	p.cancel()
	<-p.ended
	if p.stdout != nil {
		_ = p.stdout.Close()
	}
}

// how says how the program ended, and the last line that it said. Only for one that has ended.
func (p *shellProcess) how() (how, said string) {
	how = fmt.Sprintf("ended with exit %d", p.command.ProcessState.ExitCode())
	if !p.command.ProcessState.Exited() {
		how = "was ended: " + p.command.ProcessState.String()
	}
	return how, p.said.line()
}
