package proto_test

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"parley/daemon/proto"
)

// vector is one frame of the contract's examples (wire 7).
type vector struct {
	Case   string
	About  string
	Effect string
	Frame  string
}

func vectors(t testing.TB, name string) []vector {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var all []vector
	for line := range strings.Lines(string(data)) {
		var v vector
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

func decode(t testing.TB, text string) proto.Frame {
	t.Helper()
	frame, err := proto.Decode([]byte(text))
	if err != nil {
		t.Fatalf("decode %.200s: got %v, want a frame", text, err)
	}
	return frame
}

// validFrame is one of the valid examples, decoded.
func validFrame(t testing.TB, name string) proto.Frame {
	t.Helper()
	for _, v := range vectors(t, "wire-valid.jsonl") {
		if v.Case == name {
			return decode(t, v.Frame)
		}
	}
	t.Fatalf("no valid example %s", name)
	return proto.Frame{}
}

// sameJSON compares two texts as JSON values.
func sameJSON(t testing.TB, got, want string) bool {
	t.Helper()
	var a, b any
	if err := json.Unmarshal([]byte(got), &a); err != nil {
		t.Fatalf("%s: %v", got, err)
	}
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatalf("%s: %v", want, err)
	}
	return reflect.DeepEqual(a, b)
}

// wire 7.1
func TestValidExamples(t *testing.T) {
	t.Parallel()
	all := vectors(t, "wire-valid.jsonl")
	if len(all) != 70 {
		t.Errorf("got %d valid examples, want 70", len(all))
	}
	for _, v := range all {
		t.Run(v.Case, func(t *testing.T) {
			t.Parallel()
			frame := decode(t, v.Frame)
			if err := frame.Validate(); err != nil {
				t.Errorf("%s: got %v, want no fault", v.About, err)
			}
			encoded, err := proto.Encode(frame)
			if err != nil {
				t.Fatal(err)
			}
			if !sameJSON(t, string(encoded), v.Frame) {
				t.Errorf("%s: got %s, want the value of %s", v.About, encoded, v.Frame)
			}
		})
	}
}

// wire 1.1, 4.2: the order in which keys are emitted is that of the first example.
func TestEncodeOrder(t *testing.T) {
	t.Parallel()
	first := vectors(t, "wire-valid.jsonl")[0]
	encoded, err := proto.Encode(decode(t, first.Frame))
	if err != nil {
		t.Fatal(err)
	}
	if string(encoded) != first.Frame {
		t.Errorf("got  %s\nwant %s", encoded, first.Frame)
	}
}

// effect is what an invalid example must lead to.
type effect struct {
	kind string
	path string // of the first fault, for kinds with faults
}

const (
	noEnvelope    = "no envelope"
	unknownType   = "unknown type"
	undecodable   = "payload does not decode"
	invalid       = "a rule is broken"
	invalidAnswer = "no answer to its request"
	badBinding    = "invalid_configuration"
	badPreparing  = "invalid_configuration of a read-only preparation"
	unsupported   = "unsupported_configuration"
)

func effects() map[string]effect {
	return map[string]effect{
		"N01": {noEnvelope, ""},
		"N02": {unknownType, ""},
		"N03": {unknownType, ""},
		"N04": {noEnvelope, ""},
		"N05": {invalid, "id"},
		"N06": {undecodable, ""},
		"N07": {undecodable, ""},
		"N08": {undecodable, ""},
		"N09": {undecodable, ""},
		"N10": {invalid, "payload.supported_agent_kinds[0].capabilities"},
		"N11": {invalid, "payload.supported_agent_kinds[0].kind"},
		"N12": {invalid, "id"},
		"N13": {invalid, "payload.budget_ms"},
		"N14": {invalid, "payload.budget_ms"},
		"N15": {invalid, "payload.skill"},
		"N16": {invalid, "payload.size_bytes"},
		"N17": {invalid, "payload.sha256"},
		"N18": {invalid, "payload.slot"},
		"N19": {invalid, "payload.file.path"},
		"N20": {invalid, "payload.file.path"},
		"N21": {invalid, "payload.initialization.packages[0]"},
		"N22": {invalid, "payload.initialization.packages"},
		"N23": {invalid, "payload.initialization.env"},
		"N24": {invalid, "payload.initialization.env"},
		"N25": {invalid, "payload.size_bytes"},
		"N26": {invalid, "payload.budget_ms"},
		"N27": {invalid, "payload.data"},
		"N28": {invalid, "payload.offset"},
		"N29": {invalid, "payload.offset"},
		"N30": {invalid, "payload.environment_id"},
		"N31": {invalidAnswer, "exit_code"},
		"N32": {invalidAnswer, "offset"},
		"N33": {invalidAnswer, "error_code"},
		"N34": {unsupported, "configuration.local_environment"},
		"N35": {unsupported, "configuration.local_environment"},
		"N36": {unsupported, "configuration.agent_options"},
		"N37": {badBinding, "configuration.run_id"},
		"N38": {badBinding, "configuration.input"},
		"N39": {badBinding, "configuration.agent_state_key"},
		"N40": {badBinding, "session_id"},
		"N41": {unsupported, "configuration.mcp_http_servers[0].connection_origin"},
		"N42": {unsupported, "configuration.mcp_http_servers[0].connection_origin"},
		"N43": {unsupported, "configuration.mcp_http_servers[0].server_url"},
		"N44": {badPreparing, "configuration.agent_options"},
		"N45": {invalid, "payload.run_id"},
		"N46": {invalid, "payload.input"},
		"N47": {invalid, "payload.input[0].content"},
		"N48": {invalid, "payload.input[0].content[0].image_url"},
		"N49": {invalid, "payload.input[0].content[0].image_url"},
		"N50": {invalid, "payload.input_id"},
		"N51": {invalid, "payload.content"},
		"N52": {invalid, "payload.content[0].text"},
		"N53": {invalid, "payload.delivery_id"},
		"N54": {undecodable, ""},
		"N55": {undecodable, ""},
		"N56": {invalid, "payload.observation.status"},
		"N57": {invalid, "payload.observation.server"},
		"N58": {undecodable, ""},
		"N59": {undecodable, ""},
		"N60": {undecodable, ""},
		"N61": {undecodable, ""},
		"N62": {invalid, "payload.handle"},
		"N63": {invalid, "payload.max_bytes"},
		"N64": {invalid, "payload.max_bytes"},
		"N65": {invalid, "payload.max_entries"},
		"N66": {invalid, "id"},
		"N67": {invalidAnswer, "close_acknowledged"},
		"N68": {invalidAnswer, "data"},
		"N69": {undecodable, ""},
		"N70": {invalidAnswer, "directory.entries[0].name"},
		"N71": {invalidAnswer, "directory.entries[0].size_bytes"},
		"N72": {invalidAnswer, "error_code"},
		"N73": {invalid, "payload.path"},
		"N74": {invalid, "payload.path"},
		"N75": {invalid, "payload.size_bytes"},
		"N76": {invalidAnswer, "reason"},
		"N77": {invalid, "payload.handle"},
		"N78": {invalid, "payload.rollback"},
		"N79": {invalidAnswer, "error_code"},
		"N80": {invalid, "payload.native_id"},
		"N81": {invalid, "payload.completed_at_ms"},
		"N82": {invalid, "payload.actor_id"},
		"N83": {invalid, "payload.id"},
	}
}

// wire 7.2
func TestInvalidExamples(t *testing.T) {
	t.Parallel()
	expected := effects()
	all := vectors(t, "wire-invalid.jsonl")
	if len(all) != len(expected) {
		t.Errorf("got %d invalid examples, want %d", len(all), len(expected))
	}
	for _, v := range all {
		t.Run(v.Case, func(t *testing.T) {
			t.Parallel()
			want, known := expected[v.Case]
			if !known {
				t.Fatalf("%s has no expected effect", v.Case)
			}
			got := effectOf(t, v)
			if got != want {
				t.Errorf("%s: got %+v, want %+v", v.About, got, want)
			}
		})
	}
}

// effectOf puts an example through what its receiver does with it.
func effectOf(t *testing.T, v vector) effect {
	t.Helper()
	frame, err := proto.Decode([]byte(v.Frame))
	if err != nil {
		if !errors.Is(err, proto.ErrEnvelope) {
			t.Errorf("got %v, want it to be ErrEnvelope", err)
		}
		return effect{kind: noEnvelope}
	}
	if _, known := proto.KindOf(frame.Type); !known {
		return effect{kind: unknownType}
	}
	if frame.Fault != nil {
		return effect{kind: undecodable}
	}
	if prepare, ok := frame.Payload.(*proto.ExecutionPrepare); ok {
		return effectOfPrepare(t, prepare)
	}
	if err := answers(t, v.Case, frame.Payload); err != nil {
		return effect{invalidAnswer, firstPath(t, err)}
	}
	if err := frame.Validate(); err != nil {
		return effect{invalid, firstPath(t, err)}
	}
	return effect{}
}

// effectOfPrepare asks in the order of wire 5.7.
func effectOfPrepare(t *testing.T, prepare *proto.ExecutionPrepare) effect {
	t.Helper()
	if err := prepare.BindingFault(); err != nil {
		return effect{badBinding, firstPath(t, err)}
	}
	if prepare.Configuration.WorkspaceReadOnly {
		return effect{badPreparing, firstPath(t, prepare.ReadOnlyFault())}
	}
	return effect{unsupported, firstPath(t, prepare.ConfigurationFault())}
}

// answers holds a result to the request of its example, and passes every other payload.
func answers(t *testing.T, name string, payload proto.Payload) error {
	t.Helper()
	switch result := payload.(type) {
	case *proto.RuntimePrepareResult:
		step := map[string]string{"N31": proto.StepBegin, "N32": proto.StepChunk, "N33": proto.StepCommit}[name]
		return result.Answers(validFrame(t, "V05").Payload.(*proto.RuntimePrepare), step, 0)
	case *proto.WorkspaceReadResult:
		request := map[string]string{"N70": "V50", "N71": "V50"}[name]
		if request == "" {
			request = "V49"
		}
		return result.Answers(validFrame(t, request).Payload.(*proto.WorkspaceRead))
	case *proto.WorkspaceWriteResult:
		return result.Answers(validFrame(t, "V54").Payload.(*proto.WorkspaceWrite), proto.StepBegin, 0)
	case *proto.EnvironmentQuiesced:
		return result.Answers(validFrame(t, "V62").Payload.(*proto.EnvironmentQuiesce).Suspension)
	}
	return nil
}

func firstPath(t *testing.T, err error) string {
	t.Helper()
	faults, ok := errors.AsType[proto.Faults](err)
	if !ok || len(faults) == 0 {
		t.Fatalf("got %v, want Faults", err)
	}
	for _, fault := range faults {
		if fault.Rule == "" || fault.Expected == "" || fault.Found == "" {
			t.Errorf("fault %+v lacks a part", fault)
		}
	}
	return faults[0].Path
}
