package browsertest_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"go.uber.org/goleak"
)

// patience bounds every wait for the page. It is far above what a loaded machine of two cores needs.
const patience = 20 * time.Second

var shots = flag.String("screenshots", "", "folder that receives a picture of every screen, state, width and theme")

// shared is the one browser of all tests; each test has a profile of its own in it.
var shared struct {
	once sync.Once
	ctx  context.Context
	stop func()
	err  error
	none string // why there is no browser
}

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if shared.stop != nil {
		shared.stop()
	}
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, "goroutines left:", err)
			code = 1
		}
	}
	os.Exit(code)
}

func browserPath() (string, error) {
	if path := os.Getenv("PARLEY_CHROMIUM"); path != "" {
		return path, nil
	}
	return exec.LookPath("chromium")
}

func startBrowser() {
	path, err := browserPath()
	if err != nil {
		shared.none = "no chromium in PATH; install it or set PARLEY_CHROMIUM"
		return
	}
	dir, err := os.MkdirTemp("", "parley-browser-")
	if err != nil {
		shared.err = err
		return
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(dir),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.WindowSize(1280, 900))
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stop := chromedp.NewContext(allocator)
	shared.stop = func() {
		stop()
		stopAllocator()
		_ = os.RemoveAll(dir) // a leftover profile in the temporary folder harms nothing
	}
	shared.ctx, shared.err = ctx, chromedp.Do(ctx)
}

// browser gives a tab in a profile of its own.
func browser(t *testing.T) context.Context {
	t.Helper()
	shared.once.Do(startBrowser)
	if shared.none != "" {
		if os.Getenv("CI") != "" {
			t.Fatal(shared.none)
		}
		t.Skip(shared.none)
	}
	if shared.err != nil {
		t.Fatalf("start the browser: %v", shared.err)
	}
	ctx, cancel := chromedp.NewContext(shared.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	return ctx
}
