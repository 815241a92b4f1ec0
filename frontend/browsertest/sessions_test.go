package browsertest_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"parley/backend/store"
)

// agentsIn keeps agents that play shipped scripts in a data folder, before its lab starts.
func agentsIn(t *testing.T, dir string, scripts ...string) {
	t.Helper()
	s, err := store.Open(t.Context(), filepath.Join(dir, "parley.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range scripts {
		config := fmt.Sprintf(`{"name":"harbour desk: %s","description":"plays %s","model":"none","x_agents_core":{"harness":"scripted","harness_config":{"script":%q}},
			"tools":[{"type":"function","name":"lookup","parameters":{"type":"object"}}]}`, script, script, script)
		if _, err := s.CreateAgent(t.Context(), []byte(config), time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func scripted(t *testing.T, scripts ...string) *lab {
	t.Helper()
	dir := t.TempDir()
	agentsIn(t, dir, scripts...)
	return startLabIn(t, dir)
}

// begin starts a Session as a person does.
func (p *page) begin(script, message string) {
	p.t.Helper()
	p.goTo(p.lab.url + "/sessions")
	p.ready()
	p.waitText("#rail-state", "lab: online")
	ask[bool](p, fmt.Sprintf(`(() => {
		const select = document.querySelector("#new-session select");
		select.value = [...select.options].find((o) => o.text.startsWith("harbour desk: " + %s)).value;
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
	p := openPage(t, scripted(t, "hello"), "/sessions")
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
