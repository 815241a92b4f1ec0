package scripted_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
	"testing/synctest"

	"parley/daemon/harness/scripted"
	"parley/daemon/proto"
)

const tellsHistory = `{"steps":[{"do":"message","text":"{{turn}}: {{history}}"}]}`

// TestNativeSessionOutlivesItsExecutor is resume and recovery: by id, by state key, and what is refused. wire 3.6.1
func TestNativeSessionOutlivesItsExecutor(t *testing.T) {
	t.Parallel()
	_, factory := scripted.New()
	say := func(t *testing.T, config proto.Configuration, input string) (content, native string) {
		t.Helper()
		executor, err := factory(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		done := start(t, executor, "run", input).settle()
		if err := executor.Close(t.Context()); err != nil {
			t.Error(err)
		}
		return done.Content, executor.NativeSession()
	}
	config := configuration(tellsHistory)
	content, native := say(t, config, "first")
	if content != "1: " || native == "" {
		t.Fatalf("first turn: got %q in native session %q, want \"1: \" in one", content, native)
	}
	config.RequireExistingNativeSession = true
	if content, again := say(t, config, "second"); content != "2: first" || again != native {
		t.Errorf("by state key: got %q in %q, want \"2: first\" in %q", content, again, native)
	}
	config.AgentSessionID = native
	if content, again := say(t, config, "third"); content != "3: first; second" || again != native {
		t.Errorf("by id: got %q in %q, want \"3: first; second\" in %q", content, again, native)
	}
	for name, change := range map[string]func(*proto.Configuration){
		"an id of nobody":       func(c *proto.Configuration) { c.AgentSessionID = "nobody" },
		"a key without session": func(c *proto.Configuration) { c.AgentStateKey, c.AgentSessionID = "agents-api-other", "" },
		"the id of another key": func(c *proto.Configuration) { c.AgentStateKey = "agents-api-other" },
	} {
		refused := config
		change(&refused)
		if executor, err := factory(t.Context(), refused); executor != nil || err == nil {
			t.Errorf("%s: got executor %v and error %v, want only an error", name, executor, err)
		}
	}
}

// TestNativeSessionExistsFromItsFirstTurn: preparation submits nothing. behaviour 9.1
func TestNativeSessionExistsFromItsFirstTurn(t *testing.T) {
	t.Parallel()
	executor := open(t, configuration(tellsHistory))
	if got := executor.NativeSession(); got != "" {
		t.Errorf("before a turn: got native session %q, want none", got)
	}
	start(t, executor, "run", "x").settle()
	if got := executor.NativeSession(); !proto.NativeID(got) {
		t.Errorf("after a turn: got native session %q, want a native id", got)
	}
	odd := configuration(tellsHistory)
	odd.AgentStateKey = strings.Repeat("k", 600) + "\n"
	long := open(t, odd)
	start(t, long, "run", "x").settle()
	if got := long.NativeSession(); !proto.NativeID(got) {
		t.Errorf("of a key that is no native id: got native session %q, want a native id", got)
	}
}

func TestOnPlaysOtherStepsForOneInput(t *testing.T) {
	t.Parallel()
	executor := open(t, configuration(`{"steps":[{"do":"message","text":"other"}],"on":{"a":[{"do":"message","text":"of a"}]}}`))
	for input, want := range map[string]string{"a": "of a", "b": "other"} {
		if got := start(t, executor, "run", input).settle().Content; got != want {
			t.Errorf("input %q: got %q, want %q", input, got, want)
		}
	}
}

// TestSubagentsAreShownWhereTheyAreWanted. wire 3.12
func TestSubagentsAreShownWhereTheyAreWanted(t *testing.T) {
	t.Parallel()
	one := 1
	tests := []struct {
		name     string
		change   func(*proto.Configuration)
		identity int
		native   string
		messages int
	}{
		{"observed", func(*proto.Configuration) {}, 2, "child-1-1", 0},
		{"not observed", func(c *proto.Configuration) { c.ObserveSubagentIdentities = false }, 0, "", 0},
		{"disabled", func(c *proto.Configuration) { c.DisableSubagents = true }, 0, "", 4},
		{"one at a time", func(c *proto.Configuration) { c.MaxConcurrentSubagents = &one }, 1, "child-1-1", 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				config := configuration(`{"steps":[
					{"do":"subagent","name":"a","says":["x","y"],"leave_open":true},
					{"do":"subagent","name":"b","status":"failed"},
					{"do":"function","name":"f","child":"a"},
					{"do":"subagent_end","name":"a","status":"cancelled"}]}`)
				test.change(&config)
				r := start(t, open(t, config), "run", "x")
				call := r.until(proto.TypeFunctionCall).Payload.(*proto.FunctionCall)
				if call.NativeID != test.native || (call.TurnID == "") != (test.native == "") {
					t.Errorf("call: got child %q and turn %q, want child %q", call.NativeID, call.TurnID, test.native)
				}
				answer(t, r.turn, call.CallID, "x")
				r.settle()
				for _, frame := range r.frames {
					if err := frame.Validate(); err != nil {
						t.Errorf("%s: %v", frame.Type, err)
					}
				}
				if got := r.count(proto.TypeSubagentIdentity); got != test.identity {
					t.Errorf("got %d children, want %d", got, test.identity)
				}
				if got := r.count(proto.TypeOutputMessage); got != test.messages {
					t.Errorf("got %d message frames, want %d", got, test.messages)
				}
			})
		})
	}
}

// TestDisabledWebSearchLeavesSearchesOut: the control in both forms. wire 3.6.3
func TestDisabledWebSearchLeavesSearchesOut(t *testing.T) {
	t.Parallel()
	for search, want := range map[string]int{``: 2, `"cached"`: 2, `"disabled"`: 0, `{"mode":"disabled"}`: 0, `{"mode":"live"}`: 2} {
		config := configuration(`{"steps":[{"do":"tool","kind":"web_search","action":{"type":"search","query":"x"}}]}`)
		config.ExecutionControls.WebSearch = []byte(search)
		r := start(t, open(t, config), "run", "x")
		r.settle()
		if got := r.count(proto.TypeToolCall); got != want {
			t.Errorf("web_search %s: got %d tool frames, want %d", search, got, want)
		}
	}
}

func TestControlsCanBeSeen(t *testing.T) {
	t.Parallel()
	config := configuration(`{"steps":[{"do":"message","text":"{{model}} {{text_verbosity}} {{reasoning_effort}} {{run}}"}]}`)
	config.ExecutionControls.ReasoningEffort = "high"
	if got, want := start(t, open(t, config), "run", "x").settle().Content, "none medium high run"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// picture is an inline image of 2×3 pixels, declared as a format that it may not have.
func picture(t *testing.T, declared string, encode func(*bytes.Buffer, image.Image) error) string {
	t.Helper()
	var data bytes.Buffer
	if err := encode(&data, image.NewGray(image.Rect(0, 0, 2, 3))); err != nil {
		t.Fatal(err)
	}
	return "data:image/" + declared + ";base64," + base64.StdEncoding.EncodeToString(data.Bytes())
}

func asPNG(to *bytes.Buffer, img image.Image) error  { return png.Encode(to, img) }
func asJPEG(to *bytes.Buffer, img image.Image) error { return jpeg.Encode(to, img, nil) }

func withImage(url string) []proto.InputContent {
	return []proto.InputContent{proto.TextPart("see "), {Type: proto.InputImage, ImageURL: &url}}
}

// TestImages are decoded in every kind of input; what cannot be is refused before anything happens. wire 3.5.3
func TestImages(t *testing.T) {
	t.Parallel()
	const script = `{"steps":[{"do":"function","name":"f"},{"do":"wait_steer"},{"do":"message","text":"{{input}}{{result}}{{steer}}"}]}`
	executor := open(t, configuration(script))
	for name, url := range map[string]string{
		"declared as another": picture(t, "jpeg", asPNG),
		"of another kind":     "data:image/gif;base64,R0lGODlhAQABAAAAACw=",
		"elsewhere":           "https://example.org/a.png",
		"broken base64":       picture(t, "png", asPNG) + "\n",
		"no image":            "data:image/png;base64,AAAA",
	} {
		input := proto.MessageInput{{Content: withImage(url)}}
		if turn, err := executor.StartTurn(t.Context(), "run", input, nil); turn != nil || err == nil {
			t.Errorf("image %s: got turn %v and error %v, want only an error", name, turn, err)
		}
	}
	content := withImage(picture(t, "png", asPNG))
	r := &run{t: t, output: make(chan proto.Frame, proto.OutputQueue)}
	turn, err := executor.StartTurn(t.Context(), "run", proto.MessageInput{{Content: content}}, r.output)
	if err != nil {
		t.Fatal(err)
	}
	r.turn = turn
	call := r.until(proto.TypeFunctionCall).Payload.(*proto.FunctionCall).CallID
	result := proto.FunctionResult{DeliveryID: "d", CallID: call, Content: withImage("data:,")}
	if err := turn.SubmitFunctionResult(t.Context(), result); err == nil {
		t.Error("result with a broken image: got success, want an error")
	}
	result.Content = withImage(picture(t, "jpeg", asJPEG))
	if err := turn.SubmitFunctionResult(t.Context(), result); err != nil {
		t.Errorf("result with an image: %v", err)
	}
	broken := proto.MessageInput{{Content: withImage("data:,")}}
	if err := turn.SteerWithReceipt(t.Context(), broken, func() { t.Error("broken image: was written") }); err == nil {
		t.Error("steer with a broken image: got success, want an error")
	}
	if err := turn.SteerWithReceipt(t.Context(), proto.MessageInput{{Content: content}}, func() {}); err != nil {
		t.Errorf("steer with an image: %v", err)
	}
	got := r.settle().Content
	if strings.Count(got, "2×3 pixels") != 3 || !strings.Contains(got, "image/jpeg") {
		t.Errorf("got %q, want three images described", got)
	}
}

// TestExpansionIsBounded: no script makes much of a long input.
func TestExpansionIsBounded(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("{{input}}", 1500)
	script := fmt.Sprintf(`{"steps":[{"do":"message","split":"whole","text":%q},{"do":"tool","kind":"function","name":"f","arguments":{"a":"é{{input}}"}}]}`, many)
	r := start(t, open(t, configuration(script)), "run", strings.Repeat("\"é", 1<<20))
	done := r.settle()
	if got := len(done.Content); got == 0 || got > 64<<10 {
		t.Errorf("text of many placeholders: got %d bytes, want at most 65536", got)
	}
	for _, frame := range r.frames {
		if _, err := proto.Encode(frame); err != nil {
			t.Errorf("%s: %v", frame.Type, err)
		}
	}
}

// TestMemoryForgetsWhatRestedLongest: the number of native Sessions is bounded.
func TestMemoryForgetsWhatRestedLongest(t *testing.T) {
	t.Parallel()
	_, factory := scripted.New()
	turn := func(key int) {
		config := configuration(`{"steps":[{"do":"no_done"}]}`)
		config.AgentStateKey = fmt.Sprintf("key-%d", key)
		executor, err := factory(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		start(t, closed(t, executor), "run", "x").settle()
	}
	const most = 4096
	for key := range most {
		turn(key)
	}
	turn(0)    // used again, so that 1 rested longest
	turn(most) // one too many
	for key, want := range map[int]bool{0: true, 1: false, 2: true, most: true} {
		config := configuration(`{}`)
		config.AgentStateKey, config.RequireExistingNativeSession = fmt.Sprintf("key-%d", key), true
		executor, err := factory(t.Context(), config)
		if (err == nil) != want {
			t.Errorf("key %d: got error %v, want known %t", key, err, want)
		}
		if err == nil {
			closed(t, executor)
		}
	}
}
