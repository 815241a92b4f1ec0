//go:build unix

package environment

import (
	"os/exec"
	"syscall"
)

const (
	pythonProgram = "python3"
	venvPrograms  = "bin"
)

func shell(command string) (string, []string) { return "/bin/sh", []string{"-c", command} }

func systemVariables(temporary string) map[string]string {
	return map[string]string{"TMPDIR": temporary}
}

// group is a process group and what left it, as far as that can be found.
type group struct {
	leader int
	mark   string
}

// startGroup starts the command as the leader of a new process group. The command has the mark in its environment.
func startGroup(command *exec.Cmd, mark string) (*group, error) {
	keepDescriptors()
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		return nil, err
	}
	return &group{leader: command.Process.Pid, mark: mark}, nil
}

func (g *group) ask() { g.signal(syscall.SIGTERM) }

func (g *group) kill() { g.signal(syscall.SIGKILL) }

// signal cannot fail in a way that matters: a process that is gone is what is wanted, and alive looks again.
func (g *group) signal(signal syscall.Signal) {
	_ = syscall.Kill(-g.leader, signal)
	for _, pid := range g.strays() {
		_ = syscall.Kill(pid, signal)
	}
}

// release has nothing to give back: a group is only a number.
func (g *group) release() {}
