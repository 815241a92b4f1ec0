package environment

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// keepDescriptors keeps from children what this process itself inherited open; its own descriptors are closed for them
// already. A kernel before 5.11 cannot.
func keepDescriptors() { _ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) }

// alive says that a process of the group runs, or one that left it. A process that only waits to be reaped does not run.
func (g *group) alive() bool {
	pids, err := processes()
	if err != nil {
		return !errors.Is(syscall.Kill(-g.leader, 0), syscall.ESRCH)
	}
	return slices.ContainsFunc(pids, func(pid int) bool { return g.leads(pid) || g.marked(pid) })
}

// strays are processes outside the group that carry its mark.
func (g *group) strays() []int {
	pids, err := processes()
	if err != nil {
		return nil // without /proc they cannot be found
	}
	return slices.DeleteFunc(pids, func(pid int) bool { return g.leads(pid) || !g.marked(pid) })
}

// leads says that the process is in the group and runs.
func (g *group) leads(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false // gone
	}
	// The name in brackets may hold anything; state, parent and group follow it.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 3 || bytes.ContainsAny(fields[0], "ZX") {
		return false
	}
	return string(fields[2]) == strconv.Itoa(g.leader)
}

func (g *group) marked(pid int) bool {
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return false // gone, or somebody else's
	}
	return slices.ContainsFunc(bytes.Split(environ, []byte{0}), func(v []byte) bool { return string(v) == g.mark })
}

func processes() ([]int, error) {
	folder, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer folder.Close() // read-only
	names, err := folder.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}
