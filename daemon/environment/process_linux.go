package environment

import (
	"errors"
	"maps"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// group is the processes of a step: those of its process group, those that carry its mark, their descendants, and the
// orphans that this process adopts while the step runs.
//
// The command itself is not tied to the life of this process (PR_SET_PDEATHSIG): as long as it lives it proves to the
// next Runtime whose group that is, and leads to its descendants that left the group.
type group struct {
	mark    string
	leader  int            // number of the process group; 0 before it is known
	since   uint64         // nothing of the step started earlier
	known   map[int]uint64 // start times of the processes that were last seen
	doubted map[int]uint64 // orphans that another child of this process may have left
	started bool           // by this process, which is its parent
	telling bool           // children that were started can be told from those that were adopted
}

func newGroup(mark string) *group {
	return &group{mark: mark, known: map[int]uint64{}, doubted: map[int]uint64{}}
}

// survivors is the group of a record, nil when it was about another start of the system. A command of a step can write
// in the record; without a mark of ours it would mean processes of anybody.
func survivors(r record) *group {
	if r.Boot == "" || r.Boot != boot() || !strings.HasPrefix(r.Mark, markName+"=") {
		return nil
	}
	g := newGroup(r.Mark)
	g.leader = r.Group
	for _, b := range r.Processes {
		g.known[b.PID] = b.Start
	}
	return g
}

// held waits for a line before it becomes the program that its arguments name, and ends if this process ends before.
const held = `read -r line && exec "$@" </dev/null`

// start starts the command as the leader of a new process group. It does not run before record was called, with the
// group known, and gave no error. Until release, this process adopts orphans; a kernel that refuses leaves those without
// a mark unseen.
func (g *group) start(command *exec.Cmd, record func() error) error {
	gate, opener, err := os.Pipe()
	if err != nil {
		return err
	}
	defer opener.Close() // nothing waits in it
	keepDescriptors()
	adoptOrphans(true)
	command.Args = append([]string{"sh", "-c", held, "sh", command.Path}, command.Args[1:]...)
	command.Path, command.Stdin = "/bin/sh", gate
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err = command.Start()
	_ = gate.Close() // the child has its own
	if err != nil {
		return err
	}
	g.started, g.leader = true, command.Process.Pid
	g.telling = slices.Contains(startedHere(), g.leader)
	if p, ok := processOf(g.leader); ok {
		g.since, g.known[p.pid] = p.start, p.start
	}
	if err := record(); err != nil {
		_ = command.Process.Kill() // it has done nothing
		_ = command.Wait()
		return err
	}
	_, _ = opener.WriteString("\n") // a shell that was ended meanwhile tells by its end
	return nil
}

func adoptOrphans(on bool) {
	value := uintptr(0)
	if on {
		value = 1
	}
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, value, 0, 0, 0)
}

// release lets orphans go to init again.
func (g *group) release() { adoptOrphans(false) }

// keepDescriptors keeps from children what this process itself inherited open; its own descriptors are closed for them
// already. A kernel before 5.11 cannot.
func keepDescriptors() { _ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) }

func (g *group) record() (record, bool) {
	r := record{Boot: boot(), Mark: g.mark, Group: g.leader}
	for _, pid := range slices.Sorted(maps.Keys(g.known)) {
		r.Processes = append(r.Processes, birth{PID: pid, Start: g.known[pid]})
	}
	return r, r.Boot != ""
}

// watch keeps the knowledge fresh while the command runs.
func (g *group) watch() { _, _ = g.look() } // alive falls back on the group without /proc

// alive says that a process of the step runs. One that only waits to be reaped does not.
func (g *group) alive() bool {
	living, err := g.look()
	if err != nil {
		return g.started && !errors.Is(syscall.Kill(-g.leader, 0), syscall.ESRCH)
	}
	return len(living) > 0
}

// left are the processes of the step that run, and orphans that may be of the step.
func (g *group) left() []int {
	living, err := g.look()
	if err != nil {
		return nil // without /proc they cannot be found
	}
	pids := slices.Collect(maps.Keys(g.doubted))
	for _, p := range living {
		pids = append(pids, p.pid)
	}
	slices.Sort(pids)
	return slices.Compact(pids)
}

// signal cannot fail in a way that matters: a process that is gone is what is wanted, and alive looks again.
func (g *group) signal(signal syscall.Signal) {
	living, err := g.look()
	grouped := slices.ContainsFunc(living, func(p process) bool { return p.group == g.leader })
	if g.leader > 1 && (grouped || err != nil && g.started) {
		_ = syscall.Kill(-g.leader, signal) // at once, so that none starts another one meanwhile
	}
	for _, p := range living {
		if p.group != g.leader {
			_ = syscall.Kill(p.pid, signal)
		}
	}
}

// look finds the processes of the step that run, and reaps the adopted ones that have ended.
func (g *group) look() ([]process, error) {
	all, err := processes()
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(p process) bool { return p.pid == 1 || p.pid == os.Getpid() })
	of := g.family(all, g.orphans(all))
	clear(g.known)
	var living []process
	for _, p := range all {
		if !of[p.pid] {
			continue
		}
		g.known[p.pid] = p.start
		delete(g.doubted, p.pid)
		switch {
		case !p.ended:
			living = append(living, p)
		case g.started && p.parent == os.Getpid() && p.pid != g.leader:
			reap(p.pid)
		}
	}
	return living, nil
}

// family are the processes of the step, by number.
func (g *group) family(all []process, orphans []int) map[int]bool {
	of := map[int]bool{}
	grouped := g.started // the number of the group is its own: it was never free since the start
	for _, p := range all {
		start, known := g.known[p.pid]
		if known && start == p.start || slices.Contains(orphans, p.pid) || p.start >= g.since && carries(p.pid, g.mark) {
			of[p.pid] = true
			grouped = grouped || p.group == g.leader
		}
	}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if !of[p.pid] && (of[p.parent] || grouped && p.group == g.leader) {
				of[p.pid], grown = true, true
			}
		}
	}
	return of
}

// orphans are adopted processes that the step left. What is in the group of this process was left by a program that
// another part of it started, such as a browser's opener, and is nobody's business. While another child of this process
// runs, an orphan may be that one's: it is doubted, and not touched.
func (g *group) orphans(all []process) []int {
	if !g.started {
		return nil
	}
	children := slices.DeleteFunc(slices.Clone(all), func(p process) bool {
		return p.parent != os.Getpid() || p.pid == g.leader || p.start < g.since
	})
	maps.DeleteFunc(g.doubted, func(pid int, start uint64) bool {
		return !slices.ContainsFunc(children, func(p process) bool { return p.pid == pid && p.start == start && !p.ended })
	})
	if len(children) == 0 {
		return nil
	}
	started := startedHere() // asked after the children were seen, so that it holds all of them that were started
	alone := g.telling && !slices.ContainsFunc(started, func(pid int) bool { return pid > 0 && pid != g.leader })
	var found []int
	for _, p := range children {
		_, doubted := g.doubted[p.pid]
		switch {
		case slices.Contains(started, p.pid):
		case p.ended && g.telling:
			reap(p.pid)
		case p.group == syscall.Getpgrp():
		case alone && !doubted:
			found = append(found, p.pid)
		default:
			g.doubted[p.pid] = p.start
		}
	}
	return found
}

// reap takes the end of an adopted process, for which nobody else waits.
func reap(pid int) { _, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) }
