package environment

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// process is what /proc tells of one.
type process struct {
	pid, parent, group int
	start              uint64 // clock ticks since the boot
	ended              bool   // it only waits to be reaped
}

// boot identifies the start of the system; "" where that cannot be known.
func boot() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

// processes are those that can be seen.
func processes() ([]process, error) {
	pids, err := numbers("/proc")
	if err != nil {
		return nil, err
	}
	all := make([]process, 0, len(pids))
	for _, pid := range pids {
		if p, ok := processOf(pid); ok {
			all = append(all, p)
		}
	}
	return all, nil
}

// numbers are the entries of a folder that are numbers.
func numbers(name string) ([]int, error) {
	folder, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer folder.Close() // read-only
	names, err := folder.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var found []int
	for _, name := range names {
		if number, err := strconv.Atoi(name); err == nil {
			found = append(found, number)
		}
	}
	return found, nil
}

// processOf is false for a process that is gone.
func processOf(pid int) (process, bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, false
	}
	// The name in brackets may hold anything. State, parent and group follow it; the number of threads is the 18th field
	// behind it, the start the 20th.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return process{}, false
	}
	p := process{pid: pid}
	var failed [4]error
	var threads int
	p.parent, failed[0] = strconv.Atoi(string(fields[1]))
	p.group, failed[1] = strconv.Atoi(string(fields[2]))
	threads, failed[2] = strconv.Atoi(string(fields[17]))
	p.start, failed[3] = strconv.ParseUint(string(fields[19]), 10, 64)
	// A process whose first thread has ended looks like one that has, but for its other threads.
	p.ended = bytes.ContainsAny(fields[0], "ZX") && threads <= 1
	return p, failed == [4]error{}
}

// carries says that the process was started with the mark, NAME=value, in its environment. Nothing carries an empty one,
// which every environment would seem to end with.
func carries(pid int, mark string) bool {
	if mark == "" {
		return false
	}
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return false // gone, or somebody else's
	}
	return slices.ContainsFunc(bytes.Split(environ, []byte{0}), func(v []byte) bool { return string(v) == mark })
}

// startedHere are the children that this process started itself and has not waited for: from its birth on, package os
// holds a descriptor of each. A kernel before 5.4 has none.
func startedHere() []int {
	descriptors, err := numbers("/proc/self/fdinfo")
	if err != nil {
		return nil
	}
	var pids []int
	for _, descriptor := range descriptors {
		info, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", descriptor))
		if err != nil {
			continue // closed meanwhile
		}
		for line := range strings.Lines(string(info)) {
			if pid, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(line, "Pid:"))); err == nil && strings.HasPrefix(line, "Pid:") {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}
