package scripted_test

import (
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"parley/daemon/harness/scripted"
	"parley/daemon/proto"
)

const reference = "../../../docs/scripted.md"

func TestReferenceIsCurrent(t *testing.T) {
	t.Parallel()
	want, err := scripted.Reference()
	if err != nil {
		t.Fatal(err)
	}
	if *writeDocs {
		if err := os.WriteFile(reference, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/scripted.md is not what the tables say; run go generate ./daemon/harness/scripted")
	}
}

// TestCheckRefuses: a message names the step, what was expected and what was found.
func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, config, says string }{
		{"no object", `[]`, "expected an object, found []"},
		{"no JSON", `{"steps":`, "read harness_config"},
		{"a name that is no script", `{"script":"helo"}`, `there is no script "helo"; expected one of hello, long`},
		{"a name that is no text", `{"script":7}`, `key "script": expected text, found 7`},
		{"a name beside steps", `{"script":"hello","steps":[]}`, `key "steps" is not known; known are script`},
		{"no steps", `{"title":"x"}`, `key "steps" is missing; expected list of steps`},
		{"empty steps", `{"steps":[]}`, "expected a list of at least one step, found []"},
		{"steps that are no list", `{"steps":{}}`, "expected a list of at least one step, found {}"},
		{"an unknown key", `{"steps":[{"do":"no_done"}],"pace":1}`, `key "pace" is not known; known are title`},
		{"an unknown key of a section", `{"steps":[{"do":"no_done"}],"cancel":{"hold":1}}`, `cancel: key "hold" is not known; known are hold_ms`},
		{"a section that is no object", `{"steps":[{"do":"no_done"}],"cancel":1}`, "cancel: expected an object, found 1"},
		{"a step without do", `{"steps":[{"text":"x"}]}`, "step 1: expected an object with a key do, one of message, thinking"},
		{"an unknown step", `{"steps":[{"do":"sleep","ms":1},{"do":"mesage"}]}`, `step 2: "mesage" is not a step; expected one of message, thinking`},
		{"an unknown key of a step", `{"steps":[{"do":"message","txt":"x"}]}`, `step 1 (message): key "txt" is not known; known are text, id`},
		{"a missing key", `{"steps":[{"do":"message"}]}`, `step 1 (message): key "text" is missing; expected text`},
		{"a null", `{"steps":[{"do":"message","text":null}]}`, `key "text": expected text, found null`},
		{"another type", `{"steps":[{"do":"message","text":"x","forever":1}]}`, `key "forever": expected true or false, found 1`},
		{"a value out of a list", `{"steps":[{"do":"message","text":"x","split":"line"}]}`, `key "split": expected one of word, character, whole, found "line"`},
		{"a wait too long", `{"steps":[{"do":"sleep","ms":600001}]}`, "expected milliseconds, 0 to 600000, found 600001"},
		{"a negative wait", `{"steps":[{"do":"sleep","ms":-1}]}`, "found -1"},
		{"a wait that is no integer", `{"steps":[{"do":"sleep","ms":1.5}]}`, "found 1.5"},
		{"a key twice", `{"steps":[{"do":"sleep","ms":1,"ms":2}]}`, "duplicate"},
		{"a key in another case", `{"steps":[{"do":"sleep","MS":1}]}`, `key "MS" is not known`},
		{"a key that it does not take", `{"steps":[{"do":"no_done","x":1}]}`, `key "x" is not known; known are none`},
		{"an unknown placeholder", `{"steps":[{"do":"message","text":"{{inptu}}"}]}`, `placeholder "{{inptu}}" is not known; known are input, steer`},
		{"forever without pace", `{"steps":[{"do":"message","text":"x","forever":true}]}`, "forever needs pace_ms"},
		{"an unknown code", `{"steps":[{"do":"error","text":"x","code":"nope"}]}`, `key "code": "nope" is not known; known are ["authentication_error"`},
		{"a status without its code", `{"steps":[{"do":"error","text":"x","http_status":500}]}`, `expected 100 to 599 beside code "connection_failed"`},
		{"a command without command", `{"steps":[{"do":"tool","kind":"command"}]}`, "a command needs the key command"},
		{"output of a command that is no text", `{"steps":[{"do":"tool","kind":"command","command":"x","output":{}}]}`, "that of a command is a text"},
		{"mcp without server", `{"steps":[{"do":"tool","kind":"mcp","name":"x"}]}`, "mcp needs the keys server and name"},
		{"a half without id", `{"steps":[{"do":"tool","kind":"mcp","name":"x","server":"y","stage":"before"}]}`, `key "id" is missing`},
		{"the second half alone", `{"steps":[{"do":"tool","kind":"mcp","name":"x","server":"y","stage":"after","id":"i"}]}`, `no earlier step began tool "i"`},
		{"an id twice", `{"steps":[{"do":"function","name":"f","id":"i"},{"do":"function","name":"f","id":"i"}]}`, `step 2 (function): call "i" is there already`},
		{"output of no command", `{"steps":[{"do":"command_output","id":"i","text":"x"}]}`, `no earlier step began command "i"`},
		{"a result of no call", `{"steps":[{"do":"wait_result","id":"i"}]}`, `no earlier step began open call "i"`},
		{"no wait without id", `{"steps":[{"do":"function","name":"f","no_wait":true}]}`, `key "id" is missing`},
		{"a result twice", `{"steps":[{"do":"function","name":"f","id":"i","no_wait":true},{"do":"withdraw","id":"i"},{"do":"withdraw","id":"i"}]}`, "step 3 (withdraw)"},
		{"an end of no child", `{"steps":[{"do":"subagent_end","name":"c"}]}`, `open subagent "c"`},
		{"a call of no child", `{"steps":[{"do":"function","name":"f","child":"c"}]}`, `open subagent "c"`},
		{"incomplete tokens", `{"steps":[{"do":"usage","tokens":{"input_tokens":1}}]}`, `key "tokens": expected object`},
		{"usage that says nothing", `{"steps":[{"do":"usage"}]}`, "at least one key"},
		{"a step after the end", `{"steps":[{"do":"done"},{"do":"sleep","ms":1}]}`, "only after_done may follow"},
		{"after_done without done", `{"steps":[{"do":"no_done"},{"do":"after_done"}]}`, "expected a done step before it"},
		{"a list for an input", `{"steps":[{"do":"no_done"}],"on":{"x":[]}}`, `on "x": expected a list of at least one step`},
		{"on that is no object", `{"steps":[{"do":"no_done"}],"on":[]}`, `key "on": expected an object`},
		{"a failure without fail", `{"steps":[{"do":"no_done"}],"prepare":{"fail_with_executor":true}}`, "fail_with_executor needs fail"},
		{"fewer closes than none", `{"steps":[{"do":"no_done"}],"close":{"fail_times":-1}}`, "expected 0 to 100, found -1"},
		{"too long", `{"steps":[{"do":"message","text":"` + strings.Repeat("x", proto.MaxHarnessConfig) + `"}]}`, "over the limit of 16384"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := scripted.Check([]byte(test.config))
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got error %v, want one that says %q", err, test.says)
			}
			_, factory := scripted.New()
			if executor, err := factory(t.Context(), configuration(test.config)); executor != nil || err == nil {
				t.Errorf("factory: got executor %v and error %v, want only an error", executor, err)
			}
		})
	}
}

// everything has each step that keeps to the protocol, with each of its keys.
const everything = `{"steps":[
	{"do":"thinking","text":"hm hm","split":"word","pace_ms":1},
	{"do":"message","id":"m-{{turn}}","phase":"commentary","text":"I look","split":"character","status":"incomplete"},
	{"do":"tool","kind":"command","id":"c","command":"ls","cwd":"/workspace","output":"{{input}}\n","exit_code":2,"duration_ms":5,"status":"failed","error":"x","pace_ms":1},
	{"do":"tool","kind":"command","id":"d","command":"ls","stage":"before"},
	{"do":"command_output","id":"d","text":"{{input}}"},
	{"do":"tool","kind":"command","id":"d","command":"ls","stage":"after","output":"x"},
	{"do":"tool","kind":"mcp","server":"s","name":"n","arguments":{"a":["{{input}}"]},"output":{"b":1}},
	{"do":"tool","kind":"function","name":"n","arguments":1,"content":[{"type":"input_text","text":"x"}]},
	{"do":"tool","kind":"web_search","status":"incomplete","action":{"type":"open_page","url":"https://example.org/","queries":["q"]}},
	{"do":"usage","tokens":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":2,"reasoning_output_tokens":0,"total_tokens":3},"provider":"p","model":"m","cost_usd":0.5},
	{"do":"error","text":"x","code":"connection_failed","http_status":503},
	{"do":"subagent","name":"child","instructions":"i","says":["x","y"],"pace_ms":1,"status":"failed"},
	{"do":"sleep","ms":1},
	{"do":"done","content":"{{turn}}","metadata":{"other":1},"tokens":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":2,"reasoning_output_tokens":0,"total_tokens":3}}]}`

// TestEveryStepSendsFramesThatFollowTheRules. wire 3.2, wire 3.3, wire 3.4
func TestEveryStepSendsFramesThatFollowTheRules(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, open(t, configuration(everything)), "run", "a \"quoted\" é")
		r.settle()
		for _, frame := range r.frames {
			data, err := proto.Encode(frame)
			if err != nil {
				t.Fatal(err)
			}
			again, err := proto.Decode(data)
			if err != nil || again.Validate() != nil {
				t.Errorf("%s: got decode error %v and faults %v, want neither", data, err, again.Validate())
			}
		}
		compare(t, "everything", r.transcript())
	})
}

// FuzzCheck: reading a script neither panics nor takes what it cannot play.
func FuzzCheck(f *testing.F) {
	all, err := scripted.Scripts()
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range all {
		f.Add([]byte(s.Source))
	}
	for _, seed := range []string{everything, suiteScript, `{}`, ``, `{"script":"hello"}`, `{"steps":[{"do":"message","text":"{{input}}"}],"on":{"":[{"do":"no_done"}]}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, config []byte) {
		err := scripted.Check(config)
		if again := scripted.Check(config); (err == nil) != (again == nil) {
			t.Fatalf("got %v and then %v, want one verdict", err, again)
		}
		if err == nil {
			playOnce(t, config)
		}
	})
}

// playOnce starts what was accepted and stops it: each script can be stopped at any place.
func playOnce(t *testing.T, config []byte) {
	synctest.Test(t, func(t *testing.T) {
		_, factory := scripted.New()
		executor, _ := factory(t.Context(), configuration(string(config))) // the script may let it fail
		if executor == nil {
			return
		}
		output := make(chan proto.Frame, proto.OutputQueue)
		go func() {
			for range output {
			}
		}()
		turn, _ := executor.StartTurn(t.Context(), "run", proto.TextInput("x"), output)
		if turn == nil {
			close(output) // it is ours
		} else {
			synctest.Wait()
			_ = turn.Cancel(t.Context()) // the script may let it fail
		}
		tries := 0
		for executor.Close(t.Context()) != nil && tries < 100 {
			tries++
		}
	})
}
