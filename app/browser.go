package app

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
)

// errNoBrowser says that this machine has nothing to open a link with.
var errNoBrowser = errors.New("no program to open links with was found")

// Opener gives the program that opens links in the person's browser.
func Opener(getenv func(string) string) (string, error) {
	if runtime.GOOS == "darwin" {
		return exec.LookPath("open")
	}
	if getenv("DISPLAY") == "" && getenv("WAYLAND_DISPLAY") == "" {
		return "", fmt.Errorf("%w: there is no screen (neither DISPLAY nor WAYLAND_DISPLAY is set)", errNoBrowser)
	}
	path, err := exec.LookPath("xdg-open")
	if err != nil {
		return "", fmt.Errorf("%w: xdg-open is missing", errNoBrowser)
	}
	return path, nil
}

// openBrowser starts the opener and returns; done is called with how it ended, from a goroutine that reaps it. There is
// no bound: some openers stay as long as the browser does.
func openBrowser(ctx context.Context, link string, getenv func(string) string, done func(error)) error {
	opener, err := Opener(getenv)
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, opener, link)
	if err := command.Start(); err != nil {
		return fmt.Errorf("open the browser: %w", err)
	}
	go func() { done(command.Wait()) }()
	return nil
}
