package wiretest

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"parley/daemon/proto"
)

// Act is one thing that Core is made to do. Its id and payload are those of the frame that Core has to send for it;
// Core makes the later frames of an exchange (chunks, commit, next) by itself.
//
//	prepare          subscribe to the preparation, then send execution_prepare
//	start            subscribe to the Run, then send execution_start
//	release          send execution_release
//	cancel, function_result   wait for the receipt by delivery_id (none without one), then send
//	steer            wait for the receipts by input_id, then send
//	read             the whole read
//	write, runtime_prepare    the whole transfer of body
//	export           the whole export, read to its end
//	quiesce, resume  the whole request
type Act struct {
	Do      string          `json:"do"`
	Device  string          `json:"device"`
	ID      string          `json:"id"`
	Payload json.RawMessage `json:"payload"`
	Body    []byte          `json:"body,omitempty"`
}

// Watch names what Core observes because of an act: a preparation by request id, a run by its id, a cancel or
// function_result by delivery id, a steer by input id, every other act by the act's id.
type Watch struct {
	Of string `json:"of"`
	ID string `json:"id"`
}

// Watches are what can be observed.
func Watches() []string {
	return []string{"preparation", "run", "cancel", "steer", "function_result", "read", "write", "runtime_prepare", "export", "quiesce", "resume"}
}

// Observation is the next thing that Core saw; exactly one of the members is set, Payload beside Frame.
type Observation struct {
	Frame   string          `json:"frame,omitempty"` // type of a frame or status that a subscription delivered
	Payload json.RawMessage `json:"payload,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`  // a receipt or an operation's last result; {"size_bytes":N} of an export
	Refused string          `json:"refused,omitempty"` // code of an operation that was definitely refused
	End     string          `json:"end,omitempty"`     // a subscription ended: one of the Ended values
	Failed  string          `json:"failed,omitempty"`  // no result: lost, timeout or unconfirmed
	Pending bool            `json:"pending,omitempty"` // nothing until the wait was over
}

// How a subscription ends, or a wait fails.
const (
	EndedClosed   = "closed"   // in order, without an error
	EndedLost     = "lost"     // the connection or session is closed
	EndedOverflow = "overflow" // the subscriber was too slow
	EndedInvalid  = "invalid"  // a frame could not be used
	FailedTimeout = "timeout"
	// FailedUnconfirmed is an answer after which the outcome is not known.
	FailedUnconfirmed = "unconfirmed"
)

// CoreDriver makes a Core act. Its methods are called one after the other.
type CoreDriver interface {
	// Connected returns when the newest connection of the device is registered and its first heartbeat was taken.
	Connected(ctx context.Context, device string) error
	// Do begins an act and returns without waiting for the peer. An error means that Core refused to begin.
	Do(ctx context.Context, act Act) error
	// Observe gives the next observation, Pending when there is none within the wait.
	Observe(ctx context.Context, of Watch, wait time.Duration) (Observation, error)
}

// Chooser is a driver that knows which device a request means that names none.
type Chooser interface {
	Own() (device string, err error)
}

// actOf names the act that makes Core send a frame; false for frames that follow by themselves.
func actOf(frame string, payload any) (string, bool) {
	acts := map[proto.Type]string{proto.TypeExecutionPrepare: "prepare", proto.TypeExecutionStart: "start",
		proto.TypeExecutionRelease: "release", proto.TypePromptCancel: "cancel", proto.TypePromptSteer: "steer",
		proto.TypeFunctionResult: "function_result", proto.TypeWorkspaceRead: "read", proto.TypeWorkspaceWrite: "write",
		proto.TypeWorkspaceExport: "export", proto.TypeRuntimePrepare: "runtime_prepare",
		proto.TypeEnvironmentQuiesce: "quiesce", proto.TypeEnvironmentResume: "resume"}
	object, _ := payload.(map[string]any)
	step, has := object["step"]
	act, known := acts[proto.Type(frame)]
	return act, known && (!has || step == proto.StepBegin)
}

// bodyOf collects what the chunks of a transfer carry, in the order of the scenario.
func bodyOf(steps []Step, v *values, id string) []byte {
	var body []byte
	for _, step := range steps {
		payload, isObject := v.send(step.Payload).(map[string]any)
		if step.From != Core || !isObject || payload["step"] != proto.StepChunk || v.send(step.ID) != id {
			continue
		}
		data, err := json.Marshal(payload["data"])
		var chunk []byte
		if err == nil && json.Unmarshal(data, &chunk) == nil {
			body = slices.Concat(body, chunk)
		}
	}
	return body
}
