package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"parley/app/data"
	"parley/backend/store"
)

// Health is what a look at this machine showed.
type Health struct {
	Checks []Check `json:"checks"`
}

// Check is one thing that the lab needs or could use.
type Check struct {
	Name  string `json:"name"`
	State string `json:"state"` // one of the states below
	Says  string `json:"says"`
	Do    string `json:"do,omitempty"` // what to do about it
}

// States of a check.
const (
	ok      = "ok"
	note    = "note"    // the lab does without it, shares it or mends it
	unknown = "unknown" // it could not be looked at
	broken  = "broken"  // the lab does not start
)

// Broken tells whether something keeps the lab from starting.
func (h Health) Broken() bool {
	return slices.ContainsFunc(h.Checks, func(c Check) bool { return c.State == broken })
}

// Examine looks at what a lab on the folder and the address would need. It changes nothing.
func Examine(ctx context.Context, path, addr string, getenv func(string) string) Health {
	checks := examineFolder(ctx, path, getenv)
	checks = append(checks, examinePort(ctx, addr, slices.ContainsFunc(checks, func(c Check) bool { return c.Name == "lab" && c.State == note })))
	return Health{append(checks, examineHarnesses(), examineBrowser(getenv), examineDesktop())}
}

func examineFolder(ctx context.Context, path string, getenv func(string) string) []Check {
	place, err := data.Place(path, getenv)
	if err != nil {
		return []Check{{"folder", broken, err.Error(), "set HOME, or name a folder with --data"}}
	}
	folder, err := data.Existing(place)
	if errors.Is(err, fs.ErrNotExist) {
		return []Check{{"folder", ok, place + " does not exist yet; parley serve creates it", ""}}
	}
	if err != nil {
		return []Check{{"folder", broken, err.Error(), "name another folder with --data"}}
	}
	checks := []Check{examineMode(folder), examineLock(folder), examineStore(ctx, folder)}
	return append(checks, examineRuntimes(ctx, folder)...)
}

func examineMode(folder data.Folder) Check {
	if err := folder.Writable(); err != nil {
		return Check{"folder", broken, err.Error(), "make it writable, or name another folder with --data"}
	}
	loose, err := folder.Loose()
	switch {
	case err != nil:
		return Check{"folder", broken, err.Error(), "name another folder with --data"}
	case len(loose) > 0:
		first := loose[0]
		return Check{"folder", note, fmt.Sprintf("%s can be used by others (%s)%s", first.Path, first.Mode, more(len(loose)-1)),
			fmt.Sprintf("chmod %o %s, or let parley serve close all of it", first.Want, first.Path)}
	}
	return Check{"folder", ok, folder.Path() + " is its owner's alone", ""}
}

func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(", and %d more", n)
}

// examineLock reports a running lab as something a new one does without: that is no fault.
func examineLock(folder data.Folder) Check {
	held, err := folder.Held()
	if err != nil {
		return Check{"lab", broken, err.Error(), "make the folder readable, or name another with --data"}
	}
	if !held {
		return Check{"lab", ok, "no lab runs on this folder", ""}
	}
	holder, err := folder.Holder()
	if err != nil {
		return Check{"lab", note, "a lab runs on this folder", "run parley serve to get a fresh link to it"}
	}
	return Check{"lab", note, fmt.Sprintf("a lab runs on this folder, pid %d, at %s", holder.PID, holder.URL),
		"run parley serve to get a fresh link to it"}
}

func examineStore(ctx context.Context, folder data.Folder) Check {
	facts, err := store.Inspect(ctx, folder.Database(), true)
	var newer *store.NewerError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Check{"records", ok, "no database yet; parley serve creates it", ""}
	case errors.As(err, &newer):
		return Check{"records", broken, err.Error(), "use the newer program, or another --data"}
	case errors.Is(err, store.ErrUnreadable):
		return Check{"records", unknown, "whether the database is sound is not known: " + err.Error(), "make file and folder readable, then look again"}
	case err != nil:
		return Check{"records", broken, err.Error(), "keep a copy of the folder and start with another --data"}
	case !facts.Checked:
		return Check{"records", unknown, fmt.Sprintf("the database has %d bytes; whether it is sound is not known, "+
			"as in a copy of a folder whose lab was running", facts.Bytes), "parley serve checks what it reads"}
	}
	return Check{"records", ok, fmt.Sprintf("the database is sound, %d bytes", facts.Bytes), ""}
}

// examinePort binds for a moment. While a lab runs on the folder a port in use is most likely its own.
func examinePort(ctx context.Context, addr string, running bool) Check {
	l, _, err := listen(ctx, addr, true)
	switch {
	case err == nil:
		l.Close() // nothing was accepted
		return Check{"port", ok, addr + " is free", ""}
	case running:
		return Check{"port", note, addr + " is in use, most likely by the lab that runs", ""}
	}
	return Check{"port", broken, err.Error(), "give parley serve another --addr; port 0 picks a free one"}
}

func examineBrowser(getenv func(string) string) Check {
	commands, err := openers(getenv)
	if err != nil {
		return Check{"browser", note, err.Error(), "open the printed link by hand; parley serve --no-open leaves the browser alone"}
	}
	return Check{"browser", ok, fmt.Sprintf("links are opened with %v", commands[0]), ""}
}

func examineDesktop() Check {
	program, err := DesktopProgram()
	if err != nil {
		return Check{"window", note, "parley-desktop is neither beside parley nor in PATH", "make desktop builds it"}
	}
	return Check{"window", ok, program, ""}
}

// DesktopProgram finds the window program: beside this one, else in PATH.
func DesktopProgram() (string, error) {
	const name = "parley-desktop"
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), name)
		if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return beside, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("find %s: it is neither beside parley nor in PATH; build it with make desktop", name)
	}
	return path, nil
}
