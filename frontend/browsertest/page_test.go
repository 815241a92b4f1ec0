package browsertest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// page is a tab that is signed in to a lab. At the end of the test it fails on anything in the console.
type page struct {
	t   *testing.T
	ctx context.Context
	lab *lab

	// expected are parts of console errors that the test causes on purpose.
	expected []string
}

// openPage signs in and opens a path.
func openPage(t *testing.T, l *lab, path string) *page {
	t.Helper()
	ctx, cancel := context.WithTimeout(browser(t), 4*patience)
	p := &page{t: t, ctx: ctx, lab: l}
	listen, stopListening := context.WithCancel(ctx)
	messages := chromedp.Console(listen)
	heard := make(chan []string, 1)
	go func() {
		var all []string
		for m, err := range messages {
			if err != nil {
				break
			}
			if m.Type == chromedp.ConsoleError || m.IsException() || m.Source == "security" {
				all = append(all, m.String()+" "+m.URL)
			}
		}
		heard <- all
	}()
	t.Cleanup(func() {
		stopListening()
		for _, m := range <-heard {
			if !slices.ContainsFunc(p.expected, func(part string) bool { return strings.Contains(m, part) }) {
				t.Errorf("console of the page: got %s, want nothing", m)
			}
		}
		cancel()
	})
	p.do(chromedp.EmulateViewport(1280, 900), still())
	p.goTo(l.open)
	p.waitFor(`location.pathname === "/runner"`)
	p.goTo(l.url + path)
	p.ready()
	return p
}

// still asks for reduced motion, so that no picture and no contrast is taken in the middle of a fade, and makes the tab
// believe that it is in front.
func still() chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
		if err != nil {
			return err
		}
		_, err = chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}},
		})
		return err
	})
}

func (p *page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatalf("browser: %v", err)
	}
}

func (p *page) goTo(url string) {
	p.t.Helper()
	p.do(chromedp.Navigate(url))
}

// ready waits until the page says that a person can use it.
func (p *page) ready() {
	p.t.Helper()
	p.waitFor(`Boolean(document.documentElement.dataset.ready)`)
}

// waitFor waits until an expression holds, also across a navigation, and says what the page looked like when it never
// did.
func (p *page) waitFor(expression string) {
	p.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		poll := chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingTimeout(patience), chromedp.WithPollingInterval(15*time.Millisecond))
		err := chromedp.Do(p.ctx, poll)
		if err == nil {
			return
		}
		gone := strings.Contains(err.Error(), "context with specified id") || strings.Contains(err.Error(), "target navigated")
		if gone && time.Now().Before(deadline) {
			continue // the page that was polled is gone; the next one is coming
		}
		text, _ := chromedp.Run(p.ctx, chromedp.Evaluate[string](`location.href + "\n" + document.body.innerText`))
		p.t.Fatalf("wait for %s: %v; the page reads:\n%s", expression, err, text)
	}
}

func ask[T any](p *page, expression string) T {
	p.t.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("evaluate %s: %v", expression, err)
	}
	return value
}

func (p *page) text(selector string) string {
	p.t.Helper()
	return ask[string](p, fmt.Sprintf(`(document.querySelector(%s)?.innerText ?? "(absent)")`, quote(selector)))
}

func (p *page) waitText(selector, part string) {
	p.t.Helper()
	p.waitFor(fmt.Sprintf(`document.querySelector(%s)?.innerText.includes(%s)`, quote(selector), quote(part)))
}

func (p *page) click(selector string) {
	p.t.Helper()
	p.do(chromedp.Click(chromedp.CSS(selector)))
}

func (p *page) press(keys string, modifiers ...chromedp.Modifier) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(keys, chromedp.KeyModifiers(modifiers...)))
}

// editor gives the exact text of an editor: "request", "eval" or "task".
func (p *page) editor(name string) string {
	p.t.Helper()
	return ask[string](p, fmt.Sprintf(`document.querySelector("[data-editor=%s] .cm-content").cmTile.view.state.doc.toString()`, name))
}

// replace edits a text as a person does with find and replace: one change, at the first place of old.
func (p *page) replace(name, old, new string) {
	p.t.Helper()
	done := ask[bool](p, fmt.Sprintf(`(() => {
		const view = document.querySelector("[data-editor=%s] .cm-content").cmTile.view;
		const at = view.state.doc.toString().indexOf(%s);
		if (at < 0) return false;
		view.dispatch({changes: {from: at, to: at + %s.length, insert: %s}, userEvent: "input.type"});
		return true;
	})()`, name, quote(old), quote(old), quote(new)))
	if !done {
		p.t.Fatalf("edit %s: %q is not in it", name, old)
	}
}

// inspected waits until the runner has looked at the text as it is.
func (p *page) inspected() {
	p.t.Helper()
	p.waitFor(`/error|No errors/.test(document.querySelector("#verdict-request").innerText) && /bytes|kB|MB/.test(document.querySelector("#measure").innerText)`)
}

func (p *page) result(act string) string { return p.text(`[data-slot="` + act + `"]`) }

func (p *page) waitResult(act, part string) {
	p.t.Helper()
	p.waitText(`[data-slot="`+act+`"]`, part)
}

func quote(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(data)
}
