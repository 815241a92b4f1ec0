package proto

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// seeds are the contract's examples, and frames made to part the readers.
func seeds(t testing.TB) []string {
	t.Helper()
	var frames []string
	for _, name := range []string{"testdata/wire-valid.jsonl", "testdata/wire-invalid.jsonl"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			var example struct{ Frame string }
			if err := stdjson.Unmarshal([]byte(line), &example); err != nil {
				t.Fatal(err)
			}
			frames = append(frames, example.Frame)
		}
	}
	return append(frames,
		"", "null", "[]", "{}", " {} ", `{"type":null}`, `{"type":"delta","payload":null}`, `{"payload":{},"type":"delta"}`,
		`{"TYPE":"delta","ID":"r","PAYLOAD":{"Delta":"x"}}`,
		`{"type":"delta","type":"done","id":"a","id":null,"payload":{"content":"x"},"payload":{"usage":{}}}`,
		`{"type":"delta","trace":7,"id":"r","payload":{"delta":"\ud800\u0000<>","sequence":18446744073709551615}}`,
		"{\"type\":\"delta\",\"id\":\"\xff\",\"payload\":{\"delta\":\"\xc3\"}}",
		`{"type":"prompt_steer","id":"r","payload":{"input":[{"content":[{"type":"input_text","text":"a"}],"content":[{"image_url":"b"}]}]}}`,
		`{"type":"runtime_prepare","id":"t","payload":{"data":[1,2,300],"initialization":{"env":{"A":"1","A":null},"packages":[]}}}`,
		`{"type":"workspace_write","id":"m","payload":{"data":"QU\r\nJD","size_bytes":1.0}}`,
		`{"type":"tool_call","id":"r","payload":{"observation":{"content":[],"action":{"queries":[]},"x":1}}}`,
		`{"type":"usage","payload":{"input_tokens":1e1}}`,
	)
}

// agree holds the quick reader, the long one and the standard library to one verdict. The standard library knows no
// decoder of our own, so payloads that have one are compared between our two readers only.
func agree(t *testing.T, data []byte) {
	t.Helper()
	frame, err := Decode(data)
	long, errLong := decodeTwice(data)
	if (err == nil) != (errLong == nil) || !sameFrame(frame, long) {
		t.Fatalf("%q:\nDecode      %+v, %v\ndecodeTwice %+v, %v", data, frame, err, long, errLong)
	}
	var envelope struct {
		Type    Type               `json:"type"`
		ID      string             `json:"id"`
		Payload stdjson.RawMessage `json:"payload"`
	}
	object := bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{"))
	errStandard := stdjson.Unmarshal(data, &envelope)
	if (err == nil) != (errStandard == nil && object) {
		t.Fatalf("%q: got %v, the standard library %v", data, err, errStandard)
	}
	if err != nil {
		if !errors.Is(err, ErrEnvelope) {
			t.Fatalf("%q: got %v, want ErrEnvelope", data, err)
		}
		return
	}
	if frame.Type != envelope.Type || frame.ID != envelope.ID || !bytes.Equal(frame.Raw, envelope.Payload) {
		t.Fatalf("%q: got %+v, the standard library %+v", data, frame, envelope)
	}
	kind, known := KindOf(frame.Type)
	if !known || len(envelope.Payload) == 0 || !plainPayload(kind.Type) {
		return
	}
	body := kind.New()
	dec := stdjson.NewDecoder(bytes.NewReader(envelope.Payload))
	if kind.Type == TypeToolCall {
		dec.DisallowUnknownFields()
	}
	errBody := dec.Decode(body)
	if (frame.Fault == nil) != (errBody == nil) {
		t.Fatalf("%q: got %v, the standard library %v", data, frame.Fault, errBody)
	}
	if errBody == nil && !reflect.DeepEqual(frame.Payload, body) {
		t.Fatalf("%q:\ngot                  %+v\nthe standard library %+v", data, frame.Payload, body)
	}
}

func sameFrame(a, b Frame) bool {
	fault := func(f Frame) string {
		if f.Fault == nil {
			return ""
		}
		return f.Fault.Error()
	}
	return a.Type == b.Type && a.ID == b.ID && a.Trace == b.Trace && bytes.Equal(a.Raw, b.Raw) && (a.Raw == nil) == (b.Raw == nil) &&
		fault(a) == fault(b) && reflect.DeepEqual(a.Payload, b.Payload)
}

// plainPayload reports a payload that the standard library can read without our decoders.
func plainPayload(t Type) bool {
	switch t {
	case TypeHeartbeat, TypeExecutionPrepare, TypeUsage, TypeError, TypeDone, TypeDecisionAck, TypeSubagentTurn, TypeWorkspaceReadResult:
		return false
	}
	return true
}

// again holds a frame that decoded to the same words after it was written and read.
func again(t *testing.T, frame Frame) {
	t.Helper()
	once, err := Encode(frame)
	if err != nil {
		return // an incomplete declaration, or too long when escaped
	}
	second, err := Decode(once)
	if err != nil || second.Fault != nil {
		t.Fatalf("own frame %s: got %v, %v", once, err, second.Fault)
	}
	twice, err := Encode(second)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(once, twice) {
		t.Fatalf("written twice:\n%s\n%s", once, twice)
	}
	if len(once) <= MaxSuspension && frame.Validate() == nil && second.Validate() != nil { // longer ones may break a bound when escaped
		t.Fatalf("%s: got valid, then %v", once, second.Validate())
	}
	if DigestPayload(second.Payload) != DigestPayload(frame.Payload) {
		t.Fatalf("%s: the digest changed", once)
	}
}

// wire 0.3
func FuzzDecode(f *testing.F) {
	for _, frame := range seeds(f) {
		f.Add([]byte(frame))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		agree(t, data)
		frame, err := Decode(data)
		if err != nil {
			return
		}
		if _, ok := frame.Validate().(Faults); !ok && frame.Validate() != nil {
			t.Fatalf("%q: got %v, want Faults or nothing", data, frame.Validate())
		}
		if frame.Payload != nil {
			again(t, frame)
		}
	})
}

// wire 0.3: the verdict does not depend on the order and spelling that decide which reader is used.
func TestReadersAgree(t *testing.T) {
	t.Parallel()
	for _, frame := range seeds(t) {
		agree(t, []byte(frame))
		agree(t, []byte(strings.Replace(frame, `"type"`, `"\u0074ype"`, 1)))
		agree(t, []byte(strings.Replace(frame, `"payload"`, `"Payload"`, 1)))
		agree(t, []byte(strings.Replace(frame, `{"type"`, `{"x":[{}],"type"`, 1)))
		agree(t, []byte(frame+" "))
		for cut := 0; cut < len(frame); cut += 7 {
			agree(t, []byte(frame[:cut]))
		}
	}
}

// The usual frame is read in one pass; that cannot be seen from outside.
func TestUsualFramesAreReadOnce(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/wire-valid.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var example struct{ Case, Frame string }
		if err := stdjson.Unmarshal([]byte(line), &example); err != nil {
			t.Fatal(err)
		}
		quick := onePass{data: []byte(example.Frame)}
		if err := json.Unmarshal(quick.data, &quick, lenient()); err != nil {
			t.Errorf("%s: got %v, want one pass", example.Case, err)
		}
	}
}
