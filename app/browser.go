package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"unicode"
)

// errNoBrowser says that this machine has nothing to open a link with.
var errNoBrowser = errors.New("no program to open links with was found")

// shownComplaint bounds what of an opener's standard error is repeated, in bytes.
const shownComplaint = 300

// opener is a command that opens links: program and arguments. The link takes the place of %s in an argument, or comes
// last. No shell reads it.
type opener []string

func (o opener) String() string { return strings.Join(o, " ") }

// arguments are those of one link.
func (o opener) arguments(link string) []string {
	given := make([]string, 0, len(o))
	placed := false
	for _, argument := range o[1:] {
		placed = placed || strings.Contains(argument, "%s")
		given = append(given, strings.ReplaceAll(argument, "%s", link))
	}
	if placed {
		return given
	}
	return append(given, link)
}

// openers gives the commands to try, one after the other. BROWSER goes before what the desktop has, as it does for
// xdg-open, and needs no screen: it may be a browser for the terminal.
func openers(getenv func(string) string) ([]opener, error) {
	if list := getenv("BROWSER"); strings.Trim(list, ": \t") != "" {
		return chosen(list)
	}
	if runtime.GOOS == "darwin" {
		return found("open")
	}
	if getenv("DISPLAY") == "" && getenv("WAYLAND_DISPLAY") == "" {
		return nil, fmt.Errorf("%w: there is no screen (neither DISPLAY nor WAYLAND_DISPLAY is set) and BROWSER names none", errNoBrowser)
	}
	return found("xdg-open")
}

func found(program string) ([]opener, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return nil, fmt.Errorf("%w: %s is missing and BROWSER names none", errNoBrowser, program)
	}
	return []opener{{path}}, nil
}

// chosen reads BROWSER: commands with their arguments, separated by colons. Those that this machine lacks are left out.
func chosen(list string) ([]opener, error) {
	var all []opener
	for command := range strings.SplitSeq(list, ":") {
		words := strings.Fields(command)
		if len(words) == 0 {
			continue
		}
		if _, err := exec.LookPath(words[0]); err == nil {
			all = append(all, words)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: BROWSER is %q, and none of its commands is on this machine", errNoBrowser, list)
	}
	return all, nil
}

// opening is how the opening of a link ended.
type opening struct {
	by  opener // the command that did it
	err error  // nil, or what each command that was tried said; never the link
}

// openBrowser tries the commands from a goroutine of its own, which ends with the last one and gives how that went.
// There is no bound: some openers stay as long as the browser does, and may outlive this program.
func openBrowser(ctx context.Context, commands []opener, link string) <-chan opening {
	ended := make(chan opening, 1)
	go func() {
		var failed []error
		for _, command := range commands {
			err := command.open(ctx, link)
			if err == nil {
				ended <- opening{by: command}
				return
			}
			failed = append(failed, err)
		}
		ended <- opening{err: errors.Join(failed...)}
	}()
	return ended
}

// open runs the command to its end. Its standard error goes to a file without a name: a pipe would break under a browser
// that outlives this program.
func (o opener) open(ctx context.Context, link string) error {
	complaints, err := os.CreateTemp("", "parley-browser-*")
	if err != nil {
		return fmt.Errorf("%s: %w", o, err)
	}
	defer complaints.Close() // what is read of it has been read
	if err := os.Remove(complaints.Name()); err != nil {
		return fmt.Errorf("%s: %w", o, err)
	}
	command := exec.CommandContext(ctx, o[0], o.arguments(link)...)
	command.Stderr = complaints
	if err = command.Run(); err == nil {
		return nil
	}
	if said := complaint(complaints, link); said != "" {
		return fmt.Errorf("%s: %w: %s", o, err, said)
	}
	return fmt.Errorf("%s: %w", o, err)
}

// complaint is the first line of a standard error, printable and without the link: its token is a secret.
func complaint(from io.ReaderAt, link string) string {
	text := make([]byte, 4<<10)
	n, _ := from.ReadAt(text, 0) // what cannot be read is not repeated
	line, _, _ := bytes.Cut(bytes.TrimSpace(text[:n]), []byte("\n"))
	said := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ReplaceAll(string(line), link, "the link"))
	if _, token, ok := strings.Cut(link, "token="); ok && strings.Contains(said, token) {
		return ""
	}
	return strings.ToValidUTF8(said[:min(len(said), shownComplaint)], "")
}
