package browsertest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// begin starts a Session with the Agent of a shipped script, as a person does.
func (p *page) begin(script, message string) {
	p.t.Helper()
	p.goTo(p.lab.url + "/sessions")
	p.ready()
	p.waitText("#rail-state", "lab: online")
	ask[bool](p, fmt.Sprintf(`(() => {
		const select = document.querySelector("#new-session select");
		select.value = [...select.options].find((o) => o.text.startsWith(%s + " (")).value;
		select.dispatchEvent(new Event("change"));
		return true;
	})()`, quote(script)))
	p.do(chromedp.Focus(chromedp.CSS("#new-session textarea")))
	p.press(message)
	p.press("\r", chromedp.ModifierCtrl)
	p.waitFor(`location.pathname.startsWith("/sessions/")`)
	p.ready()
}

// write sends a message from the box with Ctrl+Enter.
func (p *page) write(text string) {
	p.t.Helper()
	p.do(chromedp.Focus(chromedp.CSS("#message")))
	p.press(text)
	p.press("\r", chromedp.ModifierCtrl)
	p.waitFor(`document.querySelector("#message").value === ""`)
}

// behaviour 8.2, 8.4: a conversation from the first message on: an answer, and a second Turn.
func TestConversation(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/sessions")
	p.begin("hello", "ahoy")
	p.waitText("#turn-1", "Hello. You said: ahoy")
	p.waitText("#turn-1", "completed")
	p.waitFor(`document.title.startsWith("Idle")`)
	p.waitText("#composer", "Message: begins Turn 2")
	p.write("and again")
	p.waitText("#turn-2", "Hello. You said: and again")
	p.waitFor(`document.title.startsWith("Idle")`)
	p.do(chromedp.Reload())
	p.ready()
	if got := p.text("#turns"); strings.Count(got, "Hello. You said") != 2 {
		t.Errorf("after a reload: got %s, want both Turns", got)
	}
	if got := ask[int](p, `document.querySelectorAll("#turns > .turn").length`); got != 2 {
		t.Errorf("got %d Turns, want 2", got)
	}
}

// cancel presses the button and waits for what the Runtime said.
func (p *page) cancel(turn string) {
	p.t.Helper()
	p.waitText(turn, "and so on and so on")
	p.click("[data-do=cancel-turn]")
	p.waitText(turn, "confirmed")
	p.waitText(turn, "cancelled, confirmed")
}

// sessionScenes are the states of the Sessions screens, each reached as a person reaches it.
func sessionScenes() []scene {
	return []scene{
		{"sessions-empty", "/sessions", nil},
		{"sessions-full", "/sessions", func(p *page) {
			p.begin("hello", "ahoy")
			p.waitText("#turn-1", "completed")
			p.begin("function", "which berth")
			p.waitText("#turn-1", "asks for an answer")
			p.begin("engine-error", "go")
			p.waitText("#turn-1", "failed")
			p.begin("long", "go on")
			p.waitText("#turn-1", "and so on")
			p.goTo(p.lab.url + "/sessions")
			p.ready()
			p.waitText("main", "In progress")
		}},
		{"session-streaming", "/sessions", func(p *page) {
			p.begin("long", "go on")
			p.waitText("#turn-1", "and so on and so on")
			p.write("stop at berth 7")
			p.waitText("#turn-1", "You, steering")
		}},
		{"session-waiting", "/sessions", func(p *page) {
			p.begin("function", "which berth")
			p.waitText("#turn-1", "asks for an answer")
		}},
		{"session-cancelled", "/sessions", func(p *page) {
			p.begin("long", "go on")
			p.cancel("#turn-1")
			p.waitText("#composer", "Message: begins Turn 2")
		}},
		{"session-failed", "/sessions", func(p *page) {
			p.begin("engine-error", "go")
			p.waitText("#turn-1", "engine_failed")
			p.waitText("#head-state", "Failed")
		}},
		{"session-not-started", "/sessions", func(p *page) {
			p.begin("fail-prepare", "go")
			p.waitText("#turn-1", "did not happen")
			p.waitText("#head-state", "Failed")
		}},
		{"session-tools", "/sessions", func(p *page) {
			p.begin("tools", "look")
			p.waitText("#turn-1", "completed")
			p.waitText("#turn-1", "exit 0")
			p.waitText("#head-state", "Idle")
		}},
		{"session-subagent", "/sessions", func(p *page) {
			p.begin("subagent", "look")
			p.waitText("#turn-1", "completed")
			p.waitText("#turn-1", "Subagent")
			p.waitText("#head-state", "Idle")
		}},
		{"session-failed-call", "/sessions", func(p *page) {
			p.begin("hello", "ahoy")
			p.waitText("#turn-1", "completed")
			p.expected = append(p.expected, "502")
			id := ask[string](p, `document.querySelector("[data-session]").dataset.session`)
			p.lab.gateFor("/api/v1/lab/sessions/"+id+"/messages", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
			p.do(chromedp.Focus(chromedp.CSS("#message")))
			p.press("and the tide?")
			p.press("\r", chromedp.ModifierCtrl)
			p.waitText("#composer", "It is not known whether it arrived.")
		}},
	}
}

// ux-anchors 5.6: the Sessions screens in their states, as TestScreens does for the others.
func TestSessionScreens(t *testing.T) {
	t.Parallel()
	for _, s := range sessionScenes() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			p := openPage(t, startLab(t), s.path)
			if s.set != nil {
				s.set(p)
			}
			p.views(s.name)
		})
	}
}

// behaviour 6.4–6.6, 8.2: one whole conversation: an answer, steering, a function call, a cancel; each over the real wire
// and the real Runtime of the lab, and each shown without a reload.
func TestWholeConversation(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/sessions")
	p.begin("steer", "begin")
	p.waitText("#composer", "Steer Turn 1: joins the running Turn")
	p.write("to berth 7")
	p.waitText("#turn-1", "completed")
	p.waitText("#turn-1", "accepted")
	if got := strings.Count(p.text("#turn-1"), "to berth 7"); got != 2 {
		t.Errorf("steered Turn: got the text %d times, want it said and answered:\n%s", got, p.text("#turn-1"))
	}

	p.begin("function", "which berth")
	p.waitText("#turn-1", "lookup")
	p.waitFor(`document.title.startsWith("Waiting for your answer")`)
	p.waitText("#status", "asks for 1 function result")
	p.do(chromedp.Focus(chromedp.CSS(".ask textarea")))
	p.press(`{"berth": 7}`)
	p.press("\r", chromedp.ModifierCtrl)
	p.waitText("#turn-1", "completed")
	p.waitText("#turn-1", `The result is: {"berth": 7}`)
	p.write("and again")
	p.waitText("#turn-2", "asks for an answer")
	p.click("#turn-2 .ask button[value=false]")
	p.waitText("#turn-2", "completed")

	p.begin("long", "go on")
	p.cancel("#turn-1")
	if got := p.text("#turn-1"); !strings.Contains(got, "asked ") || !strings.Contains(got, "Incomplete") {
		t.Errorf("cancelled Turn: got %s, want when it was asked and the incomplete text", got)
	}
	p.goTo(p.lab.url + "/sessions")
	p.ready()
	if got := ask[int](p, `document.querySelectorAll(".table-sessions tbody tr").length`); got != 3 {
		t.Errorf("list: got %d Sessions, want 3", got)
	}
	p.press("j")
	p.press("\r")
	p.waitFor(`location.pathname.startsWith("/sessions/")`)
}

// ux-anchors R3, behaviour 8.2: an act whose answer was lost keeps what was written, also over a reload, and done again it
// is one act.
func TestLostAnswerIsOneAct(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/sessions")
	p.begin("hello", "ahoy")
	p.waitText("#turn-1", "completed")
	p.expected = append(p.expected, "502", "ERR_")
	id := ask[string](p, `document.querySelector("[data-session]").dataset.session`)
	again := p.lab.gateFor("/api/v1/lab/sessions/"+id+"/messages", func(w http.ResponseWriter, r *http.Request) {
		p.lab.pass(httptest.NewRecorder(), r) // the lab has it; the page is not told
		w.WriteHeader(http.StatusBadGateway)
	})
	p.do(chromedp.Focus(chromedp.CSS("#message")))
	p.press("once")
	p.press("\r", chromedp.ModifierCtrl)
	p.waitText("#composer", "It is not known whether it arrived.")
	again()
	p.do(chromedp.Reload())
	p.ready()
	p.waitFor(`document.querySelector("#message").value === "once"`)
	p.click("#composer button[type=submit]")
	p.waitFor(`document.querySelector("#message").value === ""`)
	p.waitText("#turn-2", "You said: once")
	if got := ask[int](p, `document.querySelectorAll("#turns > .turn").length`); got != 2 {
		t.Errorf("got %d Turns, want 2: the message was one act", got)
	}
}

// A page that nobody sees listens to nothing; one that is seen again takes in what it missed. What is being written stays.
func TestHiddenSessionRests(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/sessions")
	p.begin("long", "go on")
	p.waitText("#turn-1", "and so on")
	p.do(chromedp.Focus(chromedp.CSS("#message")))
	p.press("half a sent")
	p.hide(true)
	id := ask[string](p, `document.querySelector("[data-session]").dataset.session`)
	asked := make(chan struct{}, 64)
	p.lab.gateFor("/api/v1/lab/sessions/"+id+"/screen", func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		p.lab.pass(w, r)
	})
	before := p.text("#turn-1")
	ask[bool](p, `new Promise((done) => setTimeout(done, 1500, true))`) // fifteen words of the script
	if got := len(asked); got > 1 {                                     // one may have been under way
		t.Errorf("questions of a hidden page: got %d, want none", got)
	}
	p.hide(false)
	p.waitFor(fmt.Sprintf(`document.querySelector("#turn-1").innerText.length > %d`, len(before)+50))
	p.waitFor(`document.querySelector("#message").value === "half a sent" && document.activeElement.id === "message"`)
	p.click("[data-do=cancel-turn]")
	p.waitText("#turn-1", "cancelled, confirmed")
}

// ux-anchors R7: a lost connection is said quietly with the attempt and its time, and what was missed is taken in after it.
func TestSessionReconnects(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/sessions")
	p.begin("hello", "ahoy")
	p.waitText("#turn-1", "completed")
	p.expected = append(p.expected, "502")
	id := ask[string](p, `document.querySelector("[data-session]").dataset.session`)
	again := p.lab.gateFor("/api/v1/lab/sessions/"+id+"/live", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	p.hide(true)
	p.hide(false)
	p.waitText("#status-shown", "Reconnecting: attempt 1 at ")
	p.waitText("#status-shown", "Reconnecting: attempt 2 at ")
	again()
	p.waitText("#status-shown", "Connected again.")
}
