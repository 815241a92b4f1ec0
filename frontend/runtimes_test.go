package frontend_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"parley/frontend"
)

// runtimeStates are the screen of the Runtimes in its states.
func runtimeStates() map[string]frontend.RuntimesView {
	own := func(state string, change func(*frontend.RuntimeView)) frontend.RuntimesView {
		r := frontend.RuntimeView{ID: "3f6c1a52-8d0b-4e17-9a44-5b7e2c9d1f30", Name: "lab", Own: true, State: state, StateSince: noon.Add(-time.Minute),
			LastSeen: noon.Add(-4 * time.Second)}
		if change != nil {
			change(&r)
		}
		return frontend.RuntimesView{Runtimes: []frontend.RuntimeView{r}}
	}
	connected := func(r *frontend.RuntimeView) {
		r.Online, r.Declared = true, true
		r.Connection = &frontend.ConnectionView{Since: noon.Add(-time.Minute), Build: "1.2.3", Active: 2, In: 9902, Out: 41, Dropped: 1}
		r.Kinds = []frontend.KindView{{Name: "scripted", Available: true, Version: "1", Capabilities: []string{"streaming", "durable_turns"}}}
	}
	full := own("online", connected)
	full.Runtimes = append([]frontend.RuntimeView{
		{ID: "d2", Name: "quay-east", LastSeen: noon.Add(-50 * time.Hour)},
		{ID: "d3", Name: "quay-west", Online: true, Connection: &frontend.ConnectionView{Since: noon.Add(-time.Second), In: 1},
			LastEnd: &frontend.EndView{At: noon.Add(-2 * time.Second), ByCore: true, Code: 1002, Why: "invalid heartbeat"}},
		{ID: "d4", Name: "quay-north"},
	}, full.Runtimes...)
	silent := full
	silent.Selected = "d3"
	full.Revoked = 2
	gone := full
	gone.Selected = "d9"
	broken := own("waiting", func(r *frontend.RuntimeView) {
		r.Failures, r.NextAttempt, r.LastError = 3, noon.Add(4*time.Second), "upgrade refused with status 503 Service Unavailable"
		r.LastEnd = &frontend.EndView{At: noon.Add(-time.Minute), Why: "read: connection reset"}
	})
	crowd := frontend.RuntimesView{}
	for i := range 300 {
		crowd.Runtimes = append(crowd.Runtimes, frontend.RuntimeView{ID: fmt.Sprint("d", i), Name: strings.Repeat("long-name-", 400), LastError: strings.Repeat("e", 5000)})
	}
	states := map[string]frontend.RuntimesView{
		"empty": {}, "error": {Error: "the database is locked"}, "full": full, "silent": silent, "gone": gone, "waiting": broken, "crowd": crowd,
		"resuming": own("resuming", connected),
		"starting": own("starting", nil), "connecting": own("connecting", nil), "clearing": own("clearing", nil), "suspended": own("suspended", nil),
		"stopped":     own("stopped", func(r *frontend.RuntimeView) { r.LastError = "this Runtime is retired or its credential revoked" }),
		"strange":     own("dreaming", nil),
		"differs":     own("online", nil),
		"others-only": {Runtimes: full.Runtimes[:3]},
		"none-online": {Runtimes: full.Runtimes[:1]},
		"no-kind":     own("online", func(r *frontend.RuntimeView) { connected(r); r.Kinds = nil }),
	}
	for name, view := range states {
		view.Lab, view.Now, view.Data = lab, noon, "/data/of/the/lab"
		view.Lab.Core = true
		view.Lab.Rail = frontend.RailOf(view)
		states[name] = view
	}
	return states
}

// runtimesPages are the goldens of the screen; the fragment is that of the full state.
func runtimesPages() map[string]templ.Component {
	all := map[string]templ.Component{}
	states := runtimeStates()
	for _, name := range []string{"empty", "error", "full", "silent", "gone", "waiting", "suspended", "stopped"} {
		all["runtimes-"+name] = frontend.RuntimesPage(states[name])
	}
	all["runtimes-live"] = frontend.RuntimesLive(states["full"])
	return all
}

// behaviour 3.2 and ux-anchors 2, F22: each state is worded as it was told, and what is not known is called unknown.
func TestRuntimesSayWhatIsKnown(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct{ says, rail, not string }{
		"empty":       {"No Runtime may connect yet", "none", "Wake the lab"},
		"error":       {"Connections are not touched by this.", "not read", "No Runtime may connect"},
		"full":        {"The lab’s own Runtime is online.", "lab: online", "Wake the lab"},
		"silent":      {"Unknown until the first valid heartbeat of this connection.", "lab: online", ">supported<"},
		"gone":        {"is no device of this lab, or was revoked.", "lab: online", "Core sees"},
		"waiting":     {"waits for its next attempt, at 12:00:04.", "lab: waiting", ">supported<"},
		"resuming":    {"waits for Core to resume its suspended Environment.", "lab: resuming", "Wake the lab"},
		"starting":    {"is starting.", "lab: starting", "Wake the lab"},
		"connecting":  {"is dialling Core.", "lab: connecting", "Wake the lab"},
		"clearing":    {"waits for the confirmed end of its earlier work.", "lab: clearing", "Wake the lab"},
		"suspended":   {"Wake the lab’s Runtime", "lab: suspended", ">supported<"},
		"stopped":     {"Last error: this Runtime is retired", "lab: stopped", "Wake the lab"},
		"strange":     {"The lab’s own Runtime says: dreaming.", "lab: dreaming", "Wake the lab"},
		"differs":     {"says that it is online; Core has no connection of it.", "lab: online", ">supported<"},
		"others-only": {"1 of 3 Runtimes is connected.", "1 online", "own Runtime is"},
		"none-online": {"No Runtime is connected.", "0 online", "own Runtime is"},
		"no-kind":     {"The last valid heartbeat offers no kind of harness.", "lab: online", ">unknown<"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			view := runtimeStates()[name]
			html := renderPage(t, frontend.RuntimesPage(view))
			checkParts(t, html, want.says, `<span class="word">`+want.rail+`</span>`)
			if strings.Contains(html, want.not) {
				t.Errorf("page: got %q in it, want it not", want.not)
			}
		})
	}
}

// Each fact of the screen stands once, with its spaces; what a device never did is told from what is not known.
func TestRuntimesFactsStandOnce(t *testing.T) {
	t.Parallel()
	view := runtimeStates()["full"]
	html := renderPage(t, frontend.RuntimesPage(view))
	if got := strings.Count(html, "2 of 4 Runtimes are connected."); got != 1 {
		t.Errorf("got the count of the connected %d times, want once", got)
	}
	checkParts(t, html, "online since <time", "2 devices more may not connect: revoked.",
		`data-copy="parley core device list --data /data/of/the/lab"`,
		`data-copy="parley core device create quay-east --out quay-east.json --data /data/of/the/lab"`)
	for device, want := range map[string]struct{ since, kinds string }{
		"d2": {">unknown<", ">unknown<"}, // it was seen before this lab started
		"d4": {">never<", ">–<"},
	} {
		_, row, _ := strings.Cut(html, `<tr data-key="`+device+`"`)
		row, _, _ = strings.Cut(row, "</tr>")
		if !strings.Contains(row, want.since) || !strings.Contains(row, want.kinds) {
			t.Errorf("%s: got row %s, want %s and %s", device, row, want.since, want.kinds)
		}
	}
	view.Data = "/it's a place/" + strings.Repeat("x", 40)
	checkParts(t, renderPage(t, frontend.RuntimesPage(view)), `--data &#39;/it&#39;\&#39;&#39;s a place/`+strings.Repeat("x", 40)+`&#39;"`)
}

// wire 4.1: a declaration has three values on the screen, and each of the 25 is there once.
func TestCapabilitiesHaveThreeValues(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][3]int{"full": {2, 23, 0}, "silent": {0, 0, 25}, "no-kind": {0, 0, 0}} {
		html := renderPage(t, frontend.RuntimesPage(runtimeStates()[name]))
		_, html, _ = strings.Cut(html, `id="runtime-detail"`)
		var got [3]int
		for i, word := range []string{"supported", "unsupported", "unknown"} {
			got[i] = strings.Count(html, `<span class="word">`+word+`</span>`)
		}
		if got != want {
			t.Errorf("%s: got %v supported, unsupported, unknown; want %v", name, got, want)
		}
	}
}

// ux-anchors V8: a crowd of devices with long names costs a bounded page, and the page says what it leaves out.
func TestRuntimesAreBounded(t *testing.T) {
	t.Parallel()
	html := renderPage(t, frontend.RuntimesPage(runtimeStates()["crowd"]))
	if most := 3_000_000; len(html) > most {
		t.Errorf("page: got %d bytes, want at most %d", len(html), most)
	}
	checkParts(t, html, "Only the first 256 of 300 Runtimes are shown")
}

// A lab without Core shows nothing of Runtimes: no screen, no state, no entry of the palette.
func TestWithoutCoreNothingOfRuntimesIsShown(t *testing.T) {
	t.Parallel()
	html := renderPage(t, frontend.HistoryPage(frontend.HistoryView{Lab: lab, First: true}))
	if strings.Contains(html, "untimes") {
		t.Error("page: got Runtimes in it, want nothing of them")
	}
	with := lab
	with.Core, with.Rail = true, frontend.RailOf(frontend.RuntimesView{})
	checkParts(t, renderPage(t, frontend.HistoryPage(frontend.HistoryView{Lab: with, First: true})),
		`href="/runtimes"`, `id="rail-state"`, `&#34;path&#34;:&#34;/runtimes&#34;`)
}

// hostile-inputs U-1: what a Runtime says of itself is shown as text.
func TestScriptInARuntimeStaysText(t *testing.T) {
	t.Parallel()
	for _, canary := range []string{`<script>owned()</script>`, `" onfocus="owned()`, `javascript:owned()`, `</ul></template><b>`} {
		view := frontend.RuntimesView{Lab: lab, Now: noon, Selected: canary, Data: canary, Runtimes: []frontend.RuntimeView{{
			ID: canary, Name: canary, Own: true, Online: true, State: canary, LastError: canary, Declared: true,
			Connection: &frontend.ConnectionView{Build: canary}, LastEnd: &frontend.EndView{Why: canary},
			Kinds: []frontend.KindView{{Name: canary, Version: canary, Capabilities: []string{canary}}},
		}}}
		for n := range parse(t, renderPage(t, frontend.RuntimesPage(view))).Descendants() {
			if fault := inlineFault(n); fault != "" || n.Data == "b" {
				t.Errorf("%q: got <%s> %s, want text", canary, n.Data, fault)
			}
		}
	}
}
