package app

import (
	"context"
	"fmt"
	"io"
	"time"

	"parley/app/data"
)

// openPatience is how long a start that is refused waits for the opener: one that is still at work by then is a browser.
const openPatience = 3 * time.Second

// openBrowser uses a link of its own, so that the printed one stays good. A browser that does not open stops nothing.
func (l *lab) openBrowser(ctx context.Context) {
	holder, err := l.folder.Holder()
	if err != nil {
		l.log.Warn("browser was not opened; use the link above", "error", err)
		return
	}
	commands, err := openers(l.config.Getenv)
	if err != nil {
		l.log.Warn("browser was not opened; use the link above", "error", err)
		return
	}
	// The opener outlives the lab if it likes: some stay as long as the browser does.
	ended := openBrowser(context.WithoutCancel(ctx), commands, freshLink(l.folder, holder))
	go func() {
		if end := <-ended; end.err != nil {
			l.notOpened(end.err, freshLink(l.folder, holder))
		}
	}()
}

// notOpened tells people with a new link, as the first may be too old by now. Programs have their one line.
func (l *lab) notOpened(err error, link string) {
	if l.config.JSON {
		l.log.Warn("browser was not opened; use open_url", "error", err)
		return
	}
	l.log.Warn("browser was not opened; a link is printed", "error", err)
	text := fmt.Sprintf("The browser was not opened: %v\nOpen the lab with this link, once, within two minutes:\n  %s\n", err, link)
	_, _ = io.WriteString(l.config.Stdout, text) // the log has said it too
}

// visit opens the lab that runs on the folder and says what came of it.
func visit(ctx context.Context, folder data.Folder, holder data.Holder, getenv func(string) string) string {
	commands, err := openers(getenv)
	if err != nil {
		return fmt.Sprintf("the browser was not opened: %v", err)
	}
	ended := openBrowser(context.WithoutCancel(ctx), commands, freshLink(folder, holder))
	select {
	case end := <-ended:
		if end.err != nil {
			return fmt.Sprintf("the browser was not opened: %v", end.err)
		}
		return fmt.Sprintf("that lab was opened in the browser, with %s", end.by)
	case <-time.After(openPatience):
		return "that lab was opened in the browser, whose command still runs"
	case <-ctx.Done():
		return "whether the browser was opened is not known"
	}
}
