package proto_test

import (
	"errors"
	"strings"
	"testing"

	"parley/daemon/proto"
)

// breach changes a valid example, and says which fault must come first; no path for a change that is allowed.
type breach struct {
	example string
	what    string
	edit    func(proto.Payload)
	path    string
	rule    string
}

// on makes an edit of one payload type.
func on[P proto.Payload](edit func(P)) func(proto.Payload) {
	return func(payload proto.Payload) { edit(payload.(P)) }
}

// run applies each change to a fresh copy of its example.
func run(t *testing.T, breaches []breach) {
	t.Helper()
	for _, b := range breaches {
		t.Run(b.example+" "+b.what, func(t *testing.T) {
			t.Parallel()
			payload := validFrame(t, b.example).Payload
			b.edit(payload)
			frame := proto.New(validFrame(t, b.example).ID, payload)
			held(t, frame.Validate(), b.path, b.rule)
		})
	}
}

// held wants one first fault at a path, or none.
func held(t *testing.T, err error, path, rule string) {
	t.Helper()
	if path == "" {
		if err != nil {
			t.Errorf("got %v, want no fault", err)
		}
		return
	}
	faults, ok := errors.AsType[proto.Faults](err)
	if !ok {
		t.Fatalf("got %v, want a fault of %s by %s", err, path, rule)
	}
	if faults[0].Path != path || faults[0].Rule != rule {
		t.Errorf("got %v, want a fault of %s by %s", err, path, rule)
	}
}

func long(n int) string { return strings.Repeat("x", n) }

func ref[T any](value T) *T { return &value }

// wire 3.1, 3.2, 3.4
func TestProgressRules(t *testing.T) {
	t.Parallel()
	run(t, []breach{
		{"V01", "kind without capabilities", on(func(h *proto.Heartbeat) { h.SupportedAgentKinds[0].Capabilities = proto.Capabilities{} }), "payload.supported_agent_kinds[0].capabilities", "wire 4.1"},
		{"V27", "status", on(func(m *proto.OutputMessage) { m.Status = "failed" }), "payload.status", "wire 3.2"},
		{"V27", "another phase", on(func(m *proto.OutputMessage) { m.Phase = "musing" }), "", ""},
		{"V32", "no id", on(func(c *proto.CommandOutput) { c.ID = "" }), "payload.id", "wire 3.2"},
		{"V32", "no text", on(func(c *proto.CommandOutput) { c.Delta = "" }), "payload.delta", "wire 3.2"},
		{"V28", "no text", on(func(d *proto.Delta) { *d = proto.Delta{} }), "", ""},
		{"V30", "no text", on(func(d *proto.Thinking) { *d = proto.Thinking{} }), "", ""},
		{"V35", "raw that is no object", on(func(u *proto.Usage) { u.Raw = []byte(`[1]`) }), "payload.raw", "wire 3.4"},
		{"V37", "raw that is no object", on(func(d *proto.Done) { d.Usage.Raw = []byte(`7`) }), "payload.usage.raw", "wire 3.4"},
		{"V37", "nothing", on(func(d *proto.Done) { *d = proto.Done{} }), "", ""},
		{"V36", "code of no list", on(func(f *proto.Failure) { f.Code = "strange" }), "", ""},
		{"V40", "no delivery id", on(func(a *proto.DecisionAck) { a.DeliveryID = "" }), "payload.delivery_id", "wire 3.4"},
		{"V40", "applied with a code", on(func(a *proto.DecisionAck) { a.ErrorCode = "cancel_failed" }), "payload.error_code", "wire 3.4"},
		{"V40", "raw that is no object", on(func(a *proto.DecisionAck) { a.Outcome.Usage = &proto.Usage{Raw: []byte(`7`)} }), "payload.outcome.usage.raw", "wire 3.4"},
		{"V41", "code of a function result", on(func(a *proto.DecisionAck) { a.ErrorCode = "not_pending" }), "", ""},
		{"V41", "Core's own code", on(func(a *proto.DecisionAck) { a.ErrorCode = proto.CodeCancelUnconfirmed }), "payload.error_code", "wire 3.4"},
		{"V41", "no code", on(func(a *proto.DecisionAck) { a.ErrorCode = "" }), "payload.error_code", "wire 3.4"},
	})
}

// wire 3.3
func TestToolRules(t *testing.T) {
	t.Parallel()
	see := func(edit func(*proto.Observation)) func(proto.Payload) {
		return on(func(c *proto.ToolCall) { edit(c.Observation) })
	}
	run(t, []breach{
		{"V33", "no id", on(func(c *proto.ToolCall) { c.ID = "" }), "payload.id", "wire 3.3"},
		{"V33", "no name", on(func(c *proto.ToolCall) { c.Name = "" }), "", ""},
		{"V33", "stage", on(func(c *proto.ToolCall) { c.Stage = "during" }), "payload.stage", "wire 3.3"},
		{"V33", "args that are no object", on(func(c *proto.ToolCall) { c.Args = []byte(`[]`) }), "payload.args", "wire 3.3"},
		{"V33", "args that are null", on(func(c *proto.ToolCall) { c.Args = []byte(`null`) }), "", ""},
		{"V33", "result that is no object", on(func(c *proto.ToolCall) { c.Result = []byte(`"x"`) }), "payload.result", "wire 3.3"},
		{"V33", "no observation", on(func(c *proto.ToolCall) { c.Observation = nil }), "", ""},
		{"V33", "in progress after the work", see(func(o *proto.Observation) { o.Status = "in_progress" }), "payload.observation.status", "wire 3.3"},
		{"V33", "status", see(func(o *proto.Observation) { o.Status = "cancelled" }), "payload.observation.status", "wire 3.3"},
		{"V33", "kind", see(func(o *proto.Observation) { o.Kind = "shell" }), "payload.observation.kind", "wire 3.3"},
		{"V33", "no command", see(func(o *proto.Observation) { o.Command = "" }), "payload.observation.command", "wire 3.3"},
		{"V33", "output null", see(func(o *proto.Observation) { o.Output = []byte(`null`) }), "", ""},
		{"V33", "output that is no text", see(func(o *proto.Observation) { o.Output = []byte(`{}`) }), "payload.observation.output", "wire 3.3"},
		{"V33", "function without a name", see(func(o *proto.Observation) { *o = proto.Observation{Kind: "function", Status: "failed"} }), "payload.observation.name", "wire 3.3"},
		{"V33", "MCP without a name", see(func(o *proto.Observation) { *o = proto.Observation{Kind: "mcp", Status: "failed", Server: "s"} }), "payload.observation.name", "wire 3.3"},
		{"V33", "MCP with any output", see(func(o *proto.Observation) {
			*o = proto.Observation{Kind: "mcp", Status: "failed", Server: "s", Name: "n", Output: []byte(`[1]`)}
		}), "", ""},
		{"V33", "part of a function's content", see(func(o *proto.Observation) {
			*o = proto.Observation{Kind: "function", Status: "completed", Name: "n", Content: &[]proto.InputContent{{Type: "input_text"}}}
		}), "payload.observation.content[0].text", "wire 3.5.1"},
		{"V31", "part before the work", see(func(o *proto.Observation) {
			*o = proto.Observation{Kind: "function", Status: "in_progress", Name: "n", Content: &[]proto.InputContent{{Type: "input_text"}}}
		}), "", ""},
		{"V34", "action", see(func(o *proto.Observation) { o.Action.Type = "think" }), "payload.observation.action.type", "wire 3.3"},
		{"V34", "no action", see(func(o *proto.Observation) { o.Action = nil }), "", ""},
	})
}

// wire 3.5.1, 3.5.2
func TestInputRules(t *testing.T) {
	t.Parallel()
	say := func(parts ...proto.InputContent) func(proto.Payload) {
		return on(func(s *proto.PromptSteer) { s.Input = proto.MessageInput{{Content: parts}} })
	}
	text := func(value string) proto.InputContent { return proto.TextPart(value) }
	picture := func(url string) proto.InputContent {
		return proto.InputContent{Type: proto.InputImage, ImageURL: &url}
	}
	const first = "payload.input[0].content"
	run(t, []breach{
		{"V42", "no message", on(func(s *proto.PromptSteer) { s.Input = proto.MessageInput{} }), "payload.input", "wire 3.5.2"},
		{"V42", "no part", say(), first, "wire 3.5.2"},
		{"V42", "empty text alone", say(text("")), first, "wire 3.5.2"},
		{"V42", "empty text beside text", say(text(""), text("a")), "", ""},
		{"V42", "empty text beside a picture", say(text(""), picture("u")), "", ""},
		{"V42", "white space", say(text(" ")), "", ""},
		{"V42", "blank picture beside text", say(text("a"), picture("\u2003\ufeff")), first + "[1].image_url", "wire 3.5.2"},
		{"V42", "picture alone", say(picture("u")), "", ""},
		{"V42", "type", say(proto.InputContent{Type: "text", Text: ref("a")}), first + "[0].type", "wire 3.5.1"},
		{"V42", "text without text", say(proto.InputContent{Type: "input_text"}), first + "[0].text", "wire 3.5.1"},
		{"V42", "picture without URL", say(proto.InputContent{Type: "input_image"}), first + "[0].image_url", "wire 3.5.1"},
		{"V42", "picture with text", say(proto.InputContent{Type: "input_image", ImageURL: ref("u"), Text: ref("")}), first + "[0].text", "wire 3.5.1"},
		{"V42", "second message", on(func(s *proto.PromptSteer) { s.Input = append(s.Input, proto.Message{}) }), "payload.input[1].content", "wire 3.5.2"},
	})
}

// wire 3.7
func TestAdmissionRules(t *testing.T) {
	t.Parallel()
	status := func(edit func(*proto.PreparationStatus)) func(proto.Payload) { return on(edit) }
	run(t, []breach{
		{"V23", "no Executor", on(func(s *proto.ExecutionStart) { s.ExecutorID = "" }), "payload.executor_id", "wire 3.7"},
		{"V23", "no handle", on(func(s *proto.ExecutionStart) { s.Handle = "" }), "payload.handle", "wire 3.7"},
		{"V26", "no handle", on(func(s *proto.ExecutionRelease) { s.Handle = "" }), "payload.handle", "wire 3.7"},
		{"V21", "state", status(func(s *proto.PreparationStatus) { s.State = "waiting" }), "payload.state", "wire 3.7"},
		{"V21", "no handle", status(func(s *proto.PreparationStatus) { s.Handle = "" }), "payload.handle", "wire 3.7"},
		{"V21", "no Executor, as in a read-only preparation", status(func(s *proto.PreparationStatus) { s.ExecutorID = "" }), "", ""},
		{"V21", "revision 0", status(func(s *proto.PreparationStatus) { s.Revision = 0 }), "payload.revision", "wire 3.7"},
		{"V21", "operation", status(func(s *proto.PreparationStatus) { s.Operation = "execution_prepare" }), "payload.operation", "wire 3.7"},
		{"V21", "code", status(func(s *proto.PreparationStatus) { s.ErrorCode = "preparation_failed" }), "payload.error_code", "wire 3.7"},
		{"V21", "Run", status(func(s *proto.PreparationStatus) { s.RunID = "r" }), "payload.run_id", "wire 3.7"},
		{"V22", "reused", status(func(s *proto.PreparationStatus) { s.Reused = true }), "", ""},
		{"V24", "no Run", status(func(s *proto.PreparationStatus) { s.RunID = "" }), "payload.run_id", "wire 3.7"},
		{"V24", "failed with its Run", status(func(s *proto.PreparationStatus) { s.State, s.ErrorCode = "failed", "start_cancelled" }), "", ""},
		{"V22", "failed without a code", status(func(s *proto.PreparationStatus) { s.State = "failed" }), "payload.error_code", "wire 3.7"},
		{"V22", "failed with a code of a rejection", status(func(s *proto.PreparationStatus) { s.State, s.ErrorCode = "failed", "invalid_request" }), "payload.error_code", "wire 3.7"},
		{"V25", "revision", status(func(s *proto.PreparationStatus) { s.Revision = 1 }), "payload.revision", "wire 3.7"},
		{"V25", "no operation", status(func(s *proto.PreparationStatus) { s.Operation = "" }), "payload.operation", "wire 3.7"},
		{"V25", "operation", status(func(s *proto.PreparationStatus) { s.Operation = "prompt_cancel" }), "payload.operation", "wire 3.7"},
		{"V25", "code of a start", status(func(s *proto.PreparationStatus) { s.ErrorCode = "invalid_start" }), "payload.error_code", "wire 5.7"},
		{"V25", "start with its handle", status(func(s *proto.PreparationStatus) {
			s.Operation, s.ErrorCode, s.Handle, s.ExecutorID = "execution_start", "executor_unavailable", "h", "e"
		}), "", ""},
		{"V25", "no code", status(func(s *proto.PreparationStatus) { s.ErrorCode = "" }), "payload.error_code", "wire 5.7"},
	})
}

// wire 3.9
func TestSteeringAndFunctionRules(t *testing.T) {
	t.Parallel()
	run(t, []breach{
		{"V42", "blank id", on(func(s *proto.PromptSteer) { s.InputID = " \u00a0" }), "payload.input_id", "wire 3.9.2"},
		{"V42", "longest id", on(func(s *proto.PromptSteer) { s.InputID = long(256) }), "", ""},
		{"V42", "id too long", on(func(s *proto.PromptSteer) { s.InputID = long(257) }), "payload.input_id", "wire 3.9.2"},
		{"V43", "no id", on(func(a *proto.PromptSteerAck) { a.InputID = "" }), "payload.input_id", "wire 3.9.2"},
		{"V43", "nothing said", on(func(a *proto.PromptSteerAck) { a.Written = false }), "payload.error_code", "wire 3.9.2"},
		{"V43", "refused", on(func(a *proto.PromptSteerAck) { a.Written, a.ErrorCode = false, "busy" }), "", ""},
		{"V43", "unknown after writing", on(func(a *proto.PromptSteerAck) { a.ErrorCode = "outcome_unknown" }), "", ""},
		{"V43", "code of another list", on(func(a *proto.PromptSteerAck) { a.ErrorCode = "not_pending" }), "payload.error_code", "wire 3.9.2"},
		{"V44", "accepted with a code", on(func(a *proto.PromptSteerAck) { a.ErrorCode = "busy" }), "payload.error_code", "wire 3.9.2"},
		{"V45", "no call", on(func(f *proto.FunctionCall) { f.CallID = "" }), "payload.call_id", "wire 3.9.3"},
		{"V45", "no name", on(func(f *proto.FunctionCall) { f.Name = "" }), "payload.name", "wire 3.9.3"},
		{"V45", "no arguments", on(func(f *proto.FunctionCall) { f.Arguments = nil }), "payload.arguments", "wire 3.9.3"},
		{"V45", "arguments null", on(func(f *proto.FunctionCall) { f.Arguments = []byte("null") }), "", ""},
		{"V45", "child without a Turn", on(func(f *proto.FunctionCall) { f.NativeID = "n" }), "payload.turn_id", "wire 3.9.3"},
		{"V45", "Turn without a child", on(func(f *proto.FunctionCall) { f.TurnID = "n" }), "payload.native_id", "wire 3.9.3"},
		{"V45", "child", on(func(f *proto.FunctionCall) { f.NativeID, f.TurnID = "n", "t" }), "", ""},
		{"V48", "no call", on(func(f *proto.FunctionCallWithdrawn) { f.CallID = "" }), "payload.call_id", "wire 3.9.4"},
		{"V48", "half a child", on(func(f *proto.FunctionCallWithdrawn) { f.NativeID = "" }), "payload.native_id", "wire 3.9.4"},
		{"V48", "of the Run itself", on(func(f *proto.FunctionCallWithdrawn) { f.NativeID, f.TurnID = "", "" }), "", ""},
		{"V46", "no call", on(func(f *proto.FunctionResult) { f.CallID = "" }), "payload.call_id", "wire 3.9.5"},
		{"V46", "no content", on(func(f *proto.FunctionResult) { f.Content = nil }), "payload.content", "wire 3.9.5"},
		{"V46", "part", on(func(f *proto.FunctionResult) { f.Content[0].ImageURL = ref("u") }), "payload.content[0].image_url", "wire 3.5.1"},
	})
}

// wire 3.12
func TestSubagentRules(t *testing.T) {
	t.Parallel()
	identity := func(edit func(*proto.SubagentIdentity)) func(proto.Payload) { return on(edit) }
	turn := func(edit func(*proto.SubagentTurn)) func(proto.Payload) { return on(edit) }
	item := func(kind, payload string) func(proto.Payload) {
		return on(func(s *proto.SubagentItem) { s.Kind, s.Payload = kind, []byte(payload) })
	}
	talk := func(edit func(*proto.SubagentCoordination)) func(proto.Payload) { return on(edit) }
	const rule = "wire 3.12"
	run(t, []breach{
		{"V66", "no id", identity(func(s *proto.SubagentIdentity) { s.NativeID = "" }), "payload.native_id", rule},
		{"V66", "longest id", identity(func(s *proto.SubagentIdentity) { s.NativeID = long(512) }), "", ""},
		{"V66", "id too long", identity(func(s *proto.SubagentIdentity) { s.NativeID = long(513) }), "payload.native_id", rule},
		{"V66", "space around", identity(func(s *proto.SubagentIdentity) { s.ParentNativeID = "a\u3000" }), "payload.parent_native_id", rule},
		{"V66", "line feed", identity(func(s *proto.SubagentIdentity) { s.ParentTurnID = "a\nb" }), "payload.parent_turn_id", rule},
		{"V66", "NUL", identity(func(s *proto.SubagentIdentity) { s.SourceItemID = "a\x00b" }), "payload.source_item_id", rule},
		{"V66", "no creation", identity(func(s *proto.SubagentIdentity) { s.NativeCreatedAt = 0 }), "payload.native_created_at", rule},
		{"V68", "no id", on(func(s *proto.SubagentLifecycle) { s.NativeID = "" }), "payload.native_id", rule},
		{"V67", "no id", turn(func(s *proto.SubagentTurn) { s.NativeID = "" }), "payload.native_id", rule},
		{"V67", "no Turn", turn(func(s *proto.SubagentTurn) { s.TurnID = "" }), "payload.turn_id", rule},
		{"V67", "raw that is no object", turn(func(s *proto.SubagentTurn) { s.Usage = &proto.Usage{Raw: []byte(`7`)} }), "payload.usage.raw", "wire 3.4"},
		{"V70", "no id", on(func(s *proto.SubagentItem) { s.NativeID = "" }), "payload.native_id", rule},
		{"V70", "no Turn", on(func(s *proto.SubagentItem) { s.TurnID = "" }), "payload.turn_id", rule},
		{"V70", "no item", on(func(s *proto.SubagentItem) { s.ItemID = "" }), "payload.item_id", rule},
		{"V69", "no id", talk(func(s *proto.SubagentCoordination) { s.ID = "" }), "payload.id", rule},
		{"V70", "child's actor", item("subagent_coordination", `{"id":"c","kind":"agent_message","status":"completed","actor_id":" ","recipients":[]}`), "payload.payload.actor_id", rule},
		{"V68", "effect", on(func(s *proto.SubagentLifecycle) { s.EffectID = "" }), "payload.effect_id", rule},
		{"V68", "status", on(func(s *proto.SubagentLifecycle) { s.Status = "gone" }), "payload.status", rule},
		{"V68", "no time", on(func(s *proto.SubagentLifecycle) { s.OccurredAtMS = 0 }), "payload.occurred_at_ms", rule},
		{"V67", "status", turn(func(s *proto.SubagentTurn) { s.Status, s.CompletedAtMS = "paused", nil }), "payload.status", rule},
		{"V67", "no creation", turn(func(s *proto.SubagentTurn) { s.CreatedAtMS = 0 }), "payload.created_at_ms", rule},
		{"V67", "started before", turn(func(s *proto.SubagentTurn) { s.StartedAtMS = ref(s.CreatedAtMS - 1) }), "payload.started_at_ms", rule},
		{"V67", "completed before", turn(func(s *proto.SubagentTurn) { s.CompletedAtMS = ref(*s.StartedAtMS - 1) }), "payload.completed_at_ms", rule},
		{"V67", "completed and waiting", turn(func(s *proto.SubagentTurn) { s.Status = "waiting" }), "payload.completed_at_ms", rule},
		{"V67", "cancelled in the queue", turn(func(s *proto.SubagentTurn) { s.Status, s.StartedAtMS = "cancelled", nil }), "", ""},
		{"V70", "position", on(func(s *proto.SubagentItem) { s.Position = 1_073_741_824 }), "payload.position", rule},
		{"V70", "position below 0", on(func(s *proto.SubagentItem) { s.Position = -1 }), "payload.position", rule},
		{"V70", "highest position", on(func(s *proto.SubagentItem) { s.Position = 1_073_741_823 }), "", ""},
		{"V70", "kind", item("delta", `{}`), "payload.kind", rule},
		{"V70", "no payload", item("message", ``), "payload.payload", rule},
		{"V70", "message of any shape", item("message", `{"x":1}`), "", ""},
		{"V70", "output message", item("output_message", `{"id":"","status":"completed"}`), "payload.payload.id", "wire 3.2"},
		{"V70", "tool call with an unknown member", item("tool_call", `{"id":"t","name":"n","stage":"after","x":1}`), "payload.payload", rule},
		{"V70", "tool call", item("tool_call", `{"id":"t","name":"n","stage":"after"}`), "", ""},
		{"V70", "child's own call", item("subagent_coordination", `{"id":"c","kind":"agent_message","status":"completed","actor_id":"nat-10","recipients":[],"text":"x"}`), "", ""},
		{"V69", "kind", talk(func(s *proto.SubagentCoordination) { s.Kind = "call" }), "payload.kind", rule},
		{"V69", "status", talk(func(s *proto.SubagentCoordination) { s.Status = "waiting" }), "payload.status", rule},
		{"V69", "created nobody", talk(func(s *proto.SubagentCoordination) { s.Recipients = nil }), "payload.recipients", rule},
		{"V69", "creates nobody yet", talk(func(s *proto.SubagentCoordination) { s.Recipients, s.Status = nil, "in_progress" }), "", ""},
		{"V69", "closes two", talk(func(s *proto.SubagentCoordination) { s.Kind, s.Recipients = "close_subagent_call", []string{"a", "b"} }), "payload.recipients", rule},
		{"V69", "waits for two", talk(func(s *proto.SubagentCoordination) {
			s.Kind, s.Recipients = "wait_for_subagents_call", []string{"a", "b"}
		}), "", ""},
		{"V69", "recipient", talk(func(s *proto.SubagentCoordination) { s.Recipients = []string{" a"} }), "payload.recipients[0]", rule},
	})
}
