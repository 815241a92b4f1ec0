//go:build unix && !linux

package environment

import (
	"errors"
	"syscall"
)

// alive says that the group has a process.
func (g *group) alive() bool { return !errors.Is(syscall.Kill(-g.leader, 0), syscall.ESRCH) }

// strays cannot be found here.
func (g *group) strays() []int { return nil }
