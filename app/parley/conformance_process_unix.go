//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// inOwnGroup lets the shell and all that it starts be asked to end together.
func inOwnGroup(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGTERM) }
}
