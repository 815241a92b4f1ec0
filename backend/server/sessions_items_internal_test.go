package server

import (
	"strings"
	"testing"
	"time"

	"parley/backend/store"
	"parley/frontend"
)

// behaviour 8.6: each kind of item is read from its stored document; what is broken leaves the rest.
func TestItemsAreReadFromTheirDocuments(t *testing.T) {
	t.Parallel()
	calls := []store.Call{{TurnID: "t", CallID: "c1", State: store.CallApplied, Result: []byte(`{"success":false,"content":[{"type":"input_text","text":"no"}]}`), Created: time.UnixMilli(1000)}}
	for name, tt := range map[string]struct {
		kind, document string
		holds          func(frontend.ItemView) bool
	}{
		"user":      {"user_message", `{"status":"completed","created_at_ms":1000,"content":[{"type":"input_text","text":"a"},{"type":"input_image","image_url":"data:,"},{"type":"input_text","text":"b"}]}`, func(v frontend.ItemView) bool { return v.Text == "a\nb" && v.Images == 1 && v.At.UnixMilli() == 1000 }},
		"message":   {"message", `{"status":"in_progress","cut":true,"content":[{"type":"output_text","text":"so on"}]}`, func(v frontend.ItemView) bool { return v.Text == "so on" && v.Cut && v.Status == "in_progress" }},
		"reasoning": {"reasoning", `{"text":"hm"}`, func(v frontend.ItemView) bool { return v.Text == "hm" }},
		"command": {"command", `{"command":"ls","exit_code":2,"duration_ms":12,"output":"x"}`, func(v frontend.ItemView) bool {
			return v.Title == "ls" && *v.Exit == 2 && v.Elapsed == 12*time.Millisecond && v.Text == "x"
		}},
		"live": {"command", `{"command":"ls","live_output":"y"}`, func(v frontend.ItemView) bool { return v.Text == "y" }},
		"mcp": {"mcp", `{"server":"tides","name":"table","arguments":{"n":9007199254740993},"error":"none"}`, func(v frontend.ItemView) bool {
			return v.Title == "tides: table" && strings.Contains(v.Arguments, "9007199254740993") && v.Fault == "none"
		}},
		"search": {"web_search", `{"action":{"type":"search","queries":["tide"]}}`, func(v frontend.ItemView) bool { return v.Title == "tide" }},
		"call": {"function_call", `{"name":"f","call_id":"c1","arguments":{}}`, func(v frontend.ItemView) bool {
			return v.Call != nil && v.Call.State == "applied" && v.Call.Failed && v.Call.Answer == "no" && v.At.UnixMilli() == 1000
		}},
		"no call": {"function_call", `{"name":"f","call_id":"c9"}`, func(v frontend.ItemView) bool { return v.Call == nil && v.Title == "f" }},
		"subagent": {"subagent_item", `{"status":"in_progress","kind":"output_message","native_id":"n1","snapshot":{"text":"z"}}`, func(v frontend.ItemView) bool {
			return v.Title == "output_message of n1" && v.Status == "observed" && strings.Contains(v.Text, "z")
		}},
		"asked":  {"subagent_coordination", `{"call":{"kind":"spawn","text":"read"}}`, func(v frontend.ItemView) bool { return v.Title == "spawn: read" }},
		"novel":  {"novel", `{"name":"x","output":{"a":1}}`, func(v frontend.ItemView) bool { return v.Title == "x" && strings.Contains(v.Text, `"a": 1`) }},
		"broken": {"message", `{"status":"completed"`, func(v frontend.ItemView) bool { return v.ID == "i" && v.Text == "" }},
	} {
		if got := itemView(store.Item{ID: "i", Kind: tt.kind, Payload: []byte(tt.document)}, calls); !tt.holds(got) {
			t.Errorf("%s: got %+v (%+v)", name, got, got.Call)
		}
	}
}

// ux-anchors V8: the texts of a page are bounded together; the newest have the room, and what is cut says so.
func TestItemsAreCutToTheBudget(t *testing.T) {
	t.Parallel()
	budget := shownItem + 3
	first := frontend.ItemView{Text: strings.Repeat("é", shownItem)}
	cutItem(&first, &budget)
	second := frontend.ItemView{Text: "éé", Call: &frontend.CallView{Answer: "left out"}}
	cutItem(&second, &budget)
	if len(first.Text) != shownItem || !first.Cut || second.Text != "é" || !second.Cut || budget != 1 && budget != 0 {
		t.Errorf("got %d bytes, then %q, budget %d; want %d, one letter, nearly nothing", len(first.Text), second.Text, budget, shownItem)
	}
}
