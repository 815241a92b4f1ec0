//go:build unix && !linux

package environment

import (
	"errors"
	"syscall"
)

// maxInherited is as far as descriptors are looked for that this process inherited.
const maxInherited = 256

// keepDescriptors keeps from children what this process itself inherited open; its own descriptors are closed for them
// already.
func keepDescriptors() {
	for fd := 3; fd < maxInherited; fd++ {
		syscall.CloseOnExec(fd)
	}
}

// alive says that the group has a process.
func (g *group) alive() bool { return !errors.Is(syscall.Kill(-g.leader, 0), syscall.ESRCH) }

// strays cannot be found here.
func (g *group) strays() []int { return nil }
