package app_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"parley/app"
)

// caller uses Core's API of a lab that runs, as any program would.
type caller struct {
	t      *testing.T
	url    string
	key    string
	client *http.Client
}

// openAPI starts a lab with its own Runtime.
func openAPI(t *testing.T, folder string) *caller {
	t.Helper()
	r, _ := start(t, app.Config{Data: folder, NoOpen: true, JSON: true})
	key, err := os.ReadFile(r.APIKeyFile)
	if err != nil {
		t.Fatal(err)
	}
	c := &caller{t: t, url: r.URL, key: strings.TrimSpace(string(key)), client: &http.Client{Transport: &http.Transport{}, Timeout: 30 * time.Second}}
	t.Cleanup(c.client.CloseIdleConnections)
	return c
}

// ask sends a request and gives the answer, whose body the caller closes.
func (c *caller) ask(method, path, body string) *http.Response {
	c.t.Helper()
	request, err := http.NewRequestWithContext(c.t.Context(), method, c.url+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+c.key)
	request.Header.Set("OpenAI-Beta", "agents=v1")
	request.Header.Set("Content-Type", "application/json")
	response, err := c.client.Do(request)
	if err != nil {
		c.t.Fatal(err)
	}
	if response.StatusCode >= 300 {
		text, _ := io.ReadAll(response.Body)
		response.Body.Close()
		c.t.Fatalf("%s %s: got %d %s", method, path, response.StatusCode, text)
	}
	return response
}

func (c *caller) document(method, path, body string, into any) {
	c.t.Helper()
	response := c.ask(method, path, body)
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		c.t.Fatal(err)
	}
}

// agents gives the ids of the agents of shipped scripts, by script.
func (c *caller) agents() map[string]string {
	c.t.Helper()
	var list struct {
		Data []struct {
			ID       string
			Metadata map[string]string
		}
	}
	c.document("GET", "/v1/agents?limit=100", "", &list)
	byScript := map[string]string{}
	for _, agent := range list.Data {
		if byScript[agent.Metadata[app.SceneKey]] != "" {
			c.t.Errorf("script %q has two agents", agent.Metadata[app.SceneKey])
		}
		byScript[agent.Metadata[app.SceneKey]] = agent.ID
	}
	return byScript
}

// told is one event of a stream.
type told struct {
	name string
	data map[string]any
}

// conversation reads a stream; on each event the test may act, and true ends it.
func (c *caller) conversation(response *http.Response, on func(told) bool) []told {
	c.t.Helper()
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	var all []told
	var next told
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "event":
			next.name = strings.TrimPrefix(value, "agent.session.")
		case "data":
			next.data = nil
			if err := json.Unmarshal([]byte(value), &next.data); err != nil {
				c.t.Fatal(err)
			}
		case "":
			if next.name == "" {
				continue
			}
			all = append(all, next)
			if on(next) {
				return all
			}
			next = told{}
		}
	}
	c.t.Fatalf("the stream ended after %d events: %v", len(all), lines.Err())
	return nil
}

func isSettled(e told) bool { return e.name == "idle" || e.name == "failed" }

// shape writes events with deltas in a row as one.
func shape(all []told) string {
	var names []string
	for _, e := range all {
		name := e.name
		if item, ok := e.data["item"].(map[string]any); ok {
			name += fmt.Sprintf("(%v)", item["role"])
			if item["role"] == nil {
				name = strings.ReplaceAll(name, "<nil>", fmt.Sprint(item["type"]))
			}
		}
		if len(names) > 0 && strings.HasSuffix(e.name, "delta") && names[len(names)-1] == name {
			continue
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// behaviour 8.6: the events of whole conversations with the lab's own Runtime, in their order.
func TestConversationsInTheirOrder(t *testing.T) {
	t.Parallel()
	c := openAPI(t, t.TempDir())
	agents := c.agents()
	const begun = "created turn.created turn.item.added(user) in_progress turn.in_progress"
	const message = " turn.item.added(assistant) turn.content_part.added turn.output_text.delta turn.output_text.done turn.content_part.done turn.item.done(assistant)"
	t.Run("hello", func(t *testing.T) {
		all := c.conversation(c.ask("POST", "/v1/agents/sessions", `{"agent":"`+agents["hello"]+`","input":"ahoy","stream":true}`), isSettled)
		if got, want := shape(all), begun+message+" turn.completed idle"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		session := all[0].data["session_id"].(string)
		for _, e := range all {
			if e.data["session_id"] != session {
				t.Errorf("event %s is of Session %v, want %s", e.name, e.data["session_id"], session)
			}
		}
		// A second Turn has items of its own.
		before := c.ask("GET", "/v1/agents/sessions/"+session+"/events", "")
		c.ask("POST", "/v1/agents/sessions/"+session+"/events", `{"events":[{"type":"agent.session.input.message","content":"again"}]}`).Body.Close()
		all = c.conversation(before, isSettled)
		if got, want := shape(all), strings.TrimPrefix(begun, "created ")+message+" turn.completed idle"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		var items struct{ Data []struct{ ID, Role string } }
		c.document("GET", "/v1/agents/sessions/"+session+"/items?order=asc", "", &items)
		if got := fmt.Sprint(items.Data); got != "[{input_1 user} {item_1_0 assistant} {input_2 user} {item_2_0 assistant}]" {
			t.Errorf("got items %s", got)
		}
	})
	t.Run("function", func(t *testing.T) {
		response := c.ask("POST", "/v1/agents/sessions", `{"agent":"`+agents["function"]+`","input":"berth?","stream":true}`)
		all := c.conversation(response, func(e told) bool {
			if e.name == "requires_action" {
				session := e.data["session_id"].(string)
				var view struct {
					Required []struct {
						CallID string `json:"call_id"`
						TurnID string `json:"turn_id"`
					} `json:"required_actions"`
				}
				c.document("GET", "/v1/agents/sessions/"+session, "", &view)
				c.ask("POST", "/v1/agents/sessions/"+session+"/events", `{"events":[{"type":"agent.session.input.tool_result","turn_id":"`+
					view.Required[0].TurnID+`","call_id":"`+view.Required[0].CallID+`","success":true,"output":[{"type":"input_text","text":"berth 7"}]}]}`).Body.Close()
			}
			return isSettled(e)
		})
		got := shape(all)
		for _, want := range []string{begun + " turn.item.added(function_call) requires_action in_progress", "turn.item.done(function_call)", "turn.completed idle"} {
			if !strings.Contains(got, want) {
				t.Errorf("got %s, want %s", got, want)
			}
		}
	})
	t.Run("cancel", func(t *testing.T) {
		response := c.ask("POST", "/v1/agents/sessions", `{"agent":"`+agents["long"]+`","input":"x","stream":true}`)
		asked := false
		all := c.conversation(response, func(e told) bool {
			if e.name == "turn.output_text.delta" && !asked {
				asked = true
				c.ask("POST", "/v1/agents/sessions/"+e.data["session_id"].(string)+"/events", `{"events":[{"type":"agent.session.input.cancel"}]}`).Body.Close()
			}
			return isSettled(e)
		})
		if got, want := shape(all), begun+message+" turn.cancelled idle"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
	t.Run("failure", func(t *testing.T) {
		all := c.conversation(c.ask("POST", "/v1/agents/sessions", `{"agent":"`+agents["engine-error"]+`","input":"x","stream":true}`), isSettled)
		if got, want := shape(all), begun+" turn.failed failed"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

// Each shipped script has one agent, also after another start; one that was deleted comes back.
func TestScriptsHaveAgents(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	r, _ := start(t, app.Config{Data: folder, NoOpen: true, JSON: true, NoDaemon: true})
	key, err := os.ReadFile(r.APIKeyFile)
	if err != nil {
		t.Fatal(err)
	}
	c := &caller{t: t, url: r.URL, key: strings.TrimSpace(string(key)), client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	first := c.agents()
	c.ask("DELETE", "/v1/agents/"+first["hello"], "").Body.Close()
	if err := r.end(); err != nil {
		t.Fatal(err)
	}
	r, _ = start(t, app.Config{Data: folder, NoOpen: true, JSON: true, NoDaemon: true})
	c.url = r.URL
	second := c.agents()
	if len(first) < 12 || len(second) != len(first) || second["long"] != first["long"] || second["hello"] == first["hello"] {
		t.Errorf("got %v after %v, want the same but for hello", second, first)
	}
	for name := range first {
		if _, err := app.Scene(name); err != nil {
			t.Errorf("scene %q: %v", name, err)
		}
	}
	if _, err := app.Scene("nothing"); err == nil || !strings.Contains(err.Error(), "hello") {
		t.Errorf("got %v, want an error that names the scripts", err)
	}
}
