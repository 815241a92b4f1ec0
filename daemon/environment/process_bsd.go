//go:build unix && !linux

package environment

import (
	"errors"
	"os/exec"
	"syscall"
)

// maxInherited is as far as descriptors are looked for that this process inherited.
const maxInherited = 256

// group is a process group. What left it is not found here, nor what survives this process.
type group struct{ leader int }

func newGroup(string) *group { return &group{} }

// start starts the command as the leader of a new process group.
func (g *group) start(command *exec.Cmd, _ func() error) error {
	keepDescriptors()
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		return err
	}
	g.leader = command.Process.Pid
	return nil
}

// keepDescriptors keeps from children what this process itself inherited open; its own descriptors are closed for them
// already.
func keepDescriptors() {
	for fd := 3; fd < maxInherited; fd++ {
		syscall.CloseOnExec(fd)
	}
}

// alive says that the group has a process.
func (g *group) alive() bool { return !errors.Is(syscall.Kill(-g.leader, 0), syscall.ESRCH) }

// signal cannot fail in a way that matters: a group that is gone is what is wanted, and alive looks again.
func (g *group) signal(signal syscall.Signal) { _ = syscall.Kill(-g.leader, signal) }

// record is not kept: nothing here tells a process from a later one with its number.
func (g *group) record() (record, bool) { return record{}, false }

func survivors(record) *group { return nil }

func (g *group) watch() {}

func (g *group) left() []int { return nil }

// release has nothing to give back: a group is only a number.
func (g *group) release() {}
