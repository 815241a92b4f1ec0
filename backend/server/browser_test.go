package server_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"parley/backend/server"
)

const browserPatience = 30 * time.Second

// browse starts a browser of its own, in which evil.example is this machine: what a rebound name looks like.
func browse(t *testing.T) context.Context {
	t.Helper()
	path := os.Getenv("PARLEY_CHROMIUM")
	if path == "" {
		var err error
		if path, err = exec.LookPath("chromium"); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatal("no chromium in PATH")
			}
			t.Skip("no chromium in PATH; install it or set PARLEY_CHROMIUM")
		}
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.UserDataDir(t.TempDir()), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("host-resolver-rules", "MAP evil.example 127.0.0.1"))
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stopAllocator)
	ctx, stop := chromedp.NewContext(allocator)
	t.Cleanup(stop)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start the browser: %v", err)
	}
	ctx, cancel := context.WithTimeout(ctx, browserPatience)
	t.Cleanup(cancel)
	return ctx
}

func visit(t *testing.T, ctx context.Context, url string) {
	t.Helper()
	if err := chromedp.Do(ctx, chromedp.Navigate(url)); err != nil {
		t.Fatalf("navigate to %s: %v", url, err)
	}
}

func evaluate[T any](t *testing.T, ctx context.Context, script string) T {
	t.Helper()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("evaluate %.60s: %v", script, err)
	}
	return value
}

// waitFor polls in the page, and again in the next one when a navigation takes the first away.
func waitFor(t *testing.T, ctx context.Context, condition string) {
	t.Helper()
	for {
		err := chromedp.Do(ctx, chromedp.Poll[chromedp.Void](condition, chromedp.WithPollingTimeout(browserPatience)))
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("wait for %s: %v", condition, err)
		}
	}
}

const onRunnerPage = `location.pathname === "/runner" && document.body?.dataset.screen === "runner"`

// hostile-inputs H-1, H-2 and H-3 in a real browser: pages of other sites, one of them under a name that leads to this
// machine, in a browser in which the lab is open.
func TestOtherSitesReachNothingInABrowser(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	_, port, _ := strings.Cut(h.addr, ":")
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!DOCTYPE html><title>evil</title><body><a id="link" href="%s/runner">lab</a>
			<form id="form" method="post" enctype="text/plain" action="%s/api/v1/lab/runner/run"><input name='{"a' value='":1}'></form>`, h.url, h.url)
	}))
	t.Cleanup(evil.Close)
	ctx := browse(t)
	visit(t, ctx, server.OpenLink(h.url, []byte(sessionKey), startID, time.Now()))
	waitFor(t, ctx, onRunnerPage)
	waitFor(t, ctx, `document.documentElement.dataset.ready === "runner"`) // styles and scripts passed the content policy
	if state := h.call("GET", "/api/v1/lab/state", ""); !strings.Contains(state.body, `"ready":{"runner":1}`) {
		t.Errorf("state %s: want the page counted as ready", state.body)
	}
	if cookie := evaluate[string](t, ctx, "document.cookie"); cookie != "" {
		t.Errorf("a script sees the cookie %q", cookie)
	}

	visit(t, ctx, "http://evil.example:"+port+"/runner")
	if text := evaluate[string](t, ctx, "document.body.innerText"); !strings.Contains(text, "not_local") {
		t.Errorf("the lab under a rebound name shows %.200q, want a refusal", text)
	}
	rebound := evaluate[int](t, ctx, `fetch("/api/v1/lab/state").then(r => r.status)`)
	if rebound != http.StatusForbidden {
		t.Errorf("fetch under a rebound name: got %d, want 403", rebound)
	}

	evilURL := strings.Replace(evil.URL, "127.0.0.1", "evil.example", 1)
	visit(t, ctx, evilURL)
	attack := fmt.Sprintf(`(async () => {
		const lab = %q, got = [];
		const unit = %q;
		for (const [path, options] of [
			["/api/v1/lab/state", {}], ["/api/v1/lab/state", {mode: "no-cors", credentials: "include"}],
			["/api/v1/lab/runner/run", {method: "POST", mode: "no-cors", credentials: "include", body: unit, headers: {"Content-Type": "text/plain"}}],
			["/api/v1/lab/runner/run", {method: "POST", credentials: "include", body: unit, headers: {"Content-Type": "application/json"}}],
			["/api/v1/runner/run", {method: "POST", body: unit, headers: {"Content-Type": "application/json"}}],
			["/api/v1/lab/drafts/draft", {method: "PUT", body: "x", headers: {"Content-Type": "text/plain"}}],
		]) {
			try { const r = await fetch(lab + path, options); got.push(r.type === "opaque" ? "opaque" : await r.text()); } catch { got.push("refused"); }
		}
		for (const tag of ["img", "script"]) {
			await new Promise((done) => {
				const e = document.createElement(tag);
				e.onload = () => { got.push(tag + " loaded"); done(); };
				e.onerror = () => { got.push("refused"); done(); };
				e.src = lab + "/api/v1/lab/records";
				document.body.append(e);
			});
		}
		return got.join(" ");
	})()`, h.url, sample(t, "unit"))
	got := evaluate[string](t, ctx, attack)
	for _, word := range strings.Fields(got) {
		if word != "refused" && word != "opaque" {
			t.Errorf("another site's page got %q, want nothing readable", got)
			break
		}
	}
	evaluate[bool](t, ctx, `document.getElementById("form").submit(), true`)
	waitFor(t, ctx, `document.body?.innerText.includes("not_local")`)
	visit(t, ctx, evilURL)
	evaluate[bool](t, ctx, `document.getElementById("link").click(), true`)
	waitFor(t, ctx, `document.body?.innerText.includes("not_local")`)

	if list, err := h.store.Records(t.Context(), 0, 10); err != nil || len(list) != 0 {
		t.Errorf("got %d records (%v), want none", len(list), err)
	}
	visit(t, ctx, h.url+"/runner")
	waitFor(t, ctx, onRunnerPage) // the lab is still open for its owner
}

// The window and other programs start from a page of their own: the link opens the lab from there too.
func TestOpenLinkWorksFromAFileInABrowser(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	ctx := browse(t)
	page := filepath.Join(t.TempDir(), "start.html")
	link := server.OpenLink(h.url, []byte(sessionKey), startID, time.Now())
	if err := os.WriteFile(page, fmt.Appendf(nil, `<!DOCTYPE html><script>location.replace(%q)</script>`, link), 0o600); err != nil {
		t.Fatal(err)
	}
	visit(t, ctx, "file://"+page)
	waitFor(t, ctx, onRunnerPage)
	if address := evaluate[string](t, ctx, "location.href"); strings.Contains(address, "token") {
		t.Errorf("the address %q keeps the token", address)
	}
}
