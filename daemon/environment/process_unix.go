//go:build unix

package environment

import "syscall"

const (
	pythonProgram = "python3"
	venvPrograms  = "bin"
)

func shell(command string) (string, []string) { return "/bin/sh", []string{"-c", command} }

func systemVariables(temporary string) map[string]string {
	return map[string]string{"TMPDIR": temporary}
}

func (g *group) ask() { g.signal(syscall.SIGTERM) }

func (g *group) kill() { g.signal(syscall.SIGKILL) }
