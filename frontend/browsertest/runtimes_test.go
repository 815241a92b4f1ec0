package browsertest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"parley/daemon/proto"
	"parley/frontend"
)

// runtimeScenes are the screen of the Runtimes with the lab's own one as it is, and in the states that take a broken
// network to reach, which are shown from views.
func runtimeScenes() []scene {
	scenes := []scene{{"runtimes-online", "/runtimes", func(p *page) {
		p.waitText("#runtimes-list", "The lab’s own Runtime is online.")
		p.waitText("#runtime-detail", "of 25 capabilities supported")
	}}}
	for _, name := range []string{"empty", "error", "full", "silent", "gone", "waiting", "suspended", "stopped", "long"} {
		scenes = append(scenes, scene{"runtimes-" + name, "/runner", func(p *page) {
			p.showRuntimes(name)
			p.goTo(p.lab.url + "/runtimes")
			p.ready()
		}})
	}
	return scenes
}

// showRuntimes answers for the screen with a view from now on.
func (p *page) showRuntimes(name string) {
	view := runtimesView(name)
	p.lab.gateFor("/runtimes", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = frontend.RuntimesPage(view).Render(r.Context(), w) // a browser that went away cannot be told
	})
	p.lab.gateFor("/api/v1/lab/runtimes/screen", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = frontend.RuntimesLive(view).Render(r.Context(), w) // as above
	})
}

func runtimesView(name string) frontend.RuntimesView {
	now := time.Now()
	own := frontend.RuntimeView{ID: "3f6c1a52-8d0b-4e17-9a44-5b7e2c9d1f30", Name: "lab", Own: true, Online: true, State: "online", StateSince: now.Add(-time.Minute),
		LastSeen: now.Add(-4 * time.Second), Connection: &frontend.ConnectionView{Since: now.Add(-time.Minute), In: 5}}
	east := frontend.RuntimeView{ID: "b8e4d7a1-26c3-4f59-8e02-71d9a6c5f4e8", Name: "quay-east", Online: true, Declared: true, LastSeen: now.Add(-9 * time.Second),
		Connection: &frontend.ConnectionView{Since: now.Add(-time.Hour), Build: "1.2.3", Active: 3, In: 9902, Out: 2541, Dropped: 2},
		LastEnd:    &frontend.EndView{At: now.Add(-2 * time.Hour), Code: 1001},
		Kinds: []frontend.KindView{{Name: "scripted", Available: true, Version: "1", Capabilities: capabilityNames(21)},
			{Name: "dry-dock", Capabilities: capabilityNames(9)}}}
	west := frontend.RuntimeView{ID: "0d4c9a77-5be1-4c55-a0f6-1f7f0a4cb2d1", Name: "quay-west", Online: true, Connection: &frontend.ConnectionView{Since: now.Add(-time.Second), In: 1},
		LastEnd: &frontend.EndView{At: now.Add(-2 * time.Second), ByCore: true, Code: 1002, Why: "invalid heartbeat"}}
	north := frontend.RuntimeView{ID: "77d2f1f0-0a39-4f3e-8f6b-3d41c8f0e9aa", Name: "quay-north", LastSeen: now.Add(-50 * time.Hour)}
	v := frontend.RuntimesView{Now: now, Data: "/data/of/the/lab"}
	ownIn := func(state string) { own.State, own.Online, own.Connection = state, false, nil }
	switch name {
	case "error":
		v.Error = "The database could not be read."
	case "full", "gone", "silent":
		v.Runtimes = []frontend.RuntimeView{own, east, west, north}
		v.Selected = map[string]string{"full": east.ID, "gone": "no-such-device", "silent": west.ID}[name]
	case "waiting":
		ownIn(name)
		own.Failures, own.NextAttempt, own.LastError = 3, now.Add(4*time.Second), "upgrade refused with status 503 Service Unavailable"
		own.LastEnd = &frontend.EndView{At: now.Add(-time.Minute), Why: "read: connection reset by peer"}
	case "suspended":
		ownIn(name)
	case "stopped":
		ownIn(name)
		own.LastError = "this Runtime is retired or its credential revoked"
	case "long":
		east.Name, east.ID = strings.Repeat("a-very-long-name.", 40), strings.Repeat("0123456789abcdef", 8)
		east.Connection.Build, east.LastEnd.Why = strings.Repeat("build", 100), strings.Repeat("رصيف ", 40)
		east.Kinds[0].Name, east.Kinds[1].Version = strings.Repeat("kind", 60), strings.Repeat("9.", 60)
		v.Runtimes = []frontend.RuntimeView{east, {ID: "rtl", Name: "رصيف-٧"}}
	}
	if v.Runtimes == nil && name != "empty" && name != "error" {
		v.Runtimes = []frontend.RuntimeView{own}
	}
	v.Lab = frontend.Lab{Version: "1.2.3", Platform: "linux/amd64", Address: "127.0.0.1:7007", Core: true}
	v.Lab.Rail = frontend.RailOf(v)
	return v
}

func capabilityNames(n int) []string {
	var names []string
	for c := range proto.Capability(n) {
		names = append(names, c.String())
	}
	return names
}

// drive makes Core do one wire operation, as a person does who explores the wire.
func (p *page) drive(do, id, device string, payload any) {
	p.t.Helper()
	line, err := json.Marshal(map[string]any{"do": do, "device": device, "id": id, "payload": payload})
	if err != nil {
		p.t.Fatal(err)
	}
	got := ask[string](p, fmt.Sprintf(`fetch("/api/v1/lab/core/drive", {method: "POST", headers: {"Content-Type": "application/json"}, body: %s}).then((r) => r.text())`, quote(string(line))))
	if strings.Contains(got, "error") {
		p.t.Fatalf("drive %s: got %s", line, got)
	}
}

// behaviour 7.5: a suspended Runtime is shown as that and offers to be woken; the rail follows without a reload, and the
// button goes when it has done its work.
func TestSuspendedRuntimeIsWoken(t *testing.T) {
	t.Parallel()
	l := startLab(t)
	p := openPage(t, l, "/runtimes")
	p.waitText("#runtime-detail", "capabilities supported")
	if got := p.text("#rail-state"); !strings.Contains(got, "lab: online") {
		t.Errorf("rail: got %q, want the lab's Runtime online", got)
	}
	device := ask[string](p, `document.querySelector("#runtimes-list [data-key]").dataset.key`)
	suspension := map[string]string{"environment_id": l.environment(t), "suspend_id": "5b7e2c9d-1f30-4e17-9a44-3f6c1a528d0b"}
	p.drive("quiesce", "q1", device, suspension)
	p.waitText("#rail-state", "lab: suspended")
	p.waitFor(`document.title.startsWith("Suspended")`)
	p.waitText("#runtime-detail", "Unknown: there is no connection")
	p.do(chromedp.Focus(chromedp.CSS("[data-do=wake]")))
	p.press(kb.Enter)
	p.waitText("#rail-state", "lab: resuming")
	p.drive("resume", "q2", device, suspension)
	p.waitText("#rail-state", "lab: online")
	p.waitFor(`document.querySelector("[data-do=wake]") === null`)
	p.waitText("#runtime-detail", "capabilities supported")
}

// environment reads the Environment of the lab's own Runtime from its profile.
func (l *lab) environment(t *testing.T) string {
	t.Helper()
	var found string
	err := filepath.WalkDir(l.data, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".json") {
			return err
		}
		data, err := os.ReadFile(path)
		var profile struct {
			EnvironmentID string `json:"environment_id"`
		}
		if err == nil && json.Unmarshal(data, &profile) == nil && profile.EnvironmentID != "" {
			found = profile.EnvironmentID
		}
		return err
	})
	if err != nil || found == "" {
		t.Fatalf("find the profile of the lab's own Runtime: %v", err)
	}
	return found
}

// K1, K5, U1, U4: the list is walked by keys, Enter opens a Runtime beside it, the address follows and opens it again;
// focus and row stay over the updates.
func TestRuntimesByKeys(t *testing.T) {
	t.Parallel()
	l := startLab(t)
	view := runtimesView("full")
	var late atomic.Bool // one more device is there
	p := openPage(t, l, "/runner")
	l.gateFor("/api/v1/lab/runtimes/screen", func(w http.ResponseWriter, r *http.Request) {
		now := view
		now.Selected = r.URL.Query().Get("device")
		if late.Load() {
			now.Runtimes = slices.Insert(slices.Clone(view.Runtimes), 0, frontend.RuntimeView{ID: "late", Name: "latecomer"})
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = frontend.RuntimesLive(now).Render(r.Context(), w) // a browser that went away cannot be told
	})
	l.gateFor("/runtimes", func(w http.ResponseWriter, r *http.Request) {
		now := view
		now.Selected = ""
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = frontend.RuntimesPage(now).Render(r.Context(), w) // as above
	})
	p.press("k", chromedp.ModifierCtrl)
	p.press("runtimes")
	p.waitFor(`document.querySelectorAll("#palette-list li").length === 1`)
	p.press(kb.Enter)
	p.waitFor(`location.pathname === "/runtimes"`)
	p.ready()
	p.press("j")
	p.press("j")
	p.waitFor(`document.activeElement?.innerText === "quay-east"`)
	p.press(kb.Enter)
	p.waitText("#runtime-detail", "21 of 25 capabilities supported")
	p.waitFor(`location.pathname === "/runtimes/" + ` + quote(view.Selected) + ` && document.activeElement?.innerText === "quay-east"`)
	p.click("#runtime-detail details:nth-of-type(2) summary")
	p.waitFor(`document.querySelectorAll("#runtime-detail details[open]").length === 2`)
	p.do(chromedp.Focus(chromedp.CSS("#runtimes-list [aria-current]")))
	late.Store(true)
	p.waitText("#runtimes-list tr:nth-child(2)", "latecomer")
	stays := `document.activeElement?.innerText === "quay-east" && document.querySelectorAll("#runtime-detail details[open]").length === 2`
	p.waitFor(stays)
	late.Store(false)
	p.waitText("#runtimes-list tr:nth-child(2)", "quay-east")
	p.waitFor(stays)
}

// ux-anchors R3, R7, 2.2.2: what cannot be asked for again stays, with its time and why; nothing is taken for a state.
// Updates can be paused.
func TestRuntimesKeepWhatTheyKnow(t *testing.T) {
	t.Parallel()
	l := startLab(t)
	p := openPage(t, l, "/runtimes")
	p.waitText("#rail-state", "lab: online")
	p.click("[data-do=live]")
	p.waitText("#live-note", "Updates are paused: this is what was known at")
	p.expected = append(p.expected, "502")
	again := l.gateFor("/api/v1/lab/runtimes/screen", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	p.click("[data-do=live]")
	p.waitText("#live-note", "it could not be asked for again. HTTP 502")
	p.waitText("#rail-state", "not known")
	p.waitText("#runtimes-list", "The lab’s own Runtime is online.")
	again()
	p.waitText("#rail-state", "lab: online")
	p.waitFor(`document.getElementById("live-note").hidden`)
}

// The rail of every other page follows too, and leads to the screen.
func TestRailFollowsOnOtherPages(t *testing.T) {
	t.Parallel()
	l := startLab(t)
	p := openPage(t, l, "/runs")
	asked := make(chan struct{}, 16)
	l.gateFor("/api/v1/lab/runtimes/rail", func(w http.ResponseWriter, r *http.Request) {
		select {
		case asked <- struct{}{}:
		default: // one is enough
		}
		lab := frontend.Lab{Core: true, Rail: frontend.RailOf(runtimesView("suspended"))}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = frontend.RailPart(lab).Render(r.Context(), w) // a browser that went away cannot be told
	})
	<-asked
	p.waitText("#rail-state", "lab: suspended")
	p.click("#rail-state")
	p.waitFor(`location.pathname === "/runtimes"`)
	p.ready()
}

// ux-anchors V4: a page that nobody sees asks for nothing; one that is seen again asks at once.
func TestHiddenPageAsksNothing(t *testing.T) {
	t.Parallel()
	l := startLab(t)
	p := openPage(t, l, "/runtimes")
	asked := make(chan struct{}, 64)
	l.gateFor("/api/v1/lab/runtimes/screen", func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		l.pass(w, r)
	})
	<-asked
	p.hide(true)
	ask[bool](p, `new Promise((done) => setTimeout(done, 6000, true))`) // longer than the page's pause between two questions
	if got := len(asked); got > 0 {
		t.Errorf("questions of a hidden page: got %d, want none", got)
	}
	p.hide(false)
	select {
	case <-asked:
	case <-p.ctx.Done():
		t.Error("a page that is seen again: got no question, want one")
	}
}

// hide makes the page believe that nobody sees it, or that somebody does again.
func (p *page) hide(hidden bool) {
	p.t.Helper()
	ask[bool](p, fmt.Sprintf(`(Object.defineProperty(document, "hidden", {value: %t, configurable: true}), document.dispatchEvent(new Event("visibilitychange")))`, hidden))
}

// A device that is none is 404, said on the screen beside those that there are.
func TestUnknownRuntime(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/runner")
	p.expected = append(p.expected, "404")
	p.goTo(p.lab.url + "/runtimes/none")
	p.ready()
	p.waitText("#runtime-detail", "No Runtime has this id")
	p.waitText("#runtimes-list", "lab")
}
