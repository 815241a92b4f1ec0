package drive

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley/daemon/proto"
	"parley/daemon/wiretest"
)

// frameOf makes the frame of an act. What Core could not send is refused here: by the place, what was expected there, what
// was found, and the section.
func frameOf(sends proto.Type, act wiretest.Act) (proto.Frame, error) {
	message, err := json.Marshal(struct {
		Type    proto.Type     `json:"type"`
		ID      string         `json:"id,omitzero"`
		Payload jsontext.Value `json:"payload,omitzero"`
	}{sends, act.ID, jsontext.Value(act.Payload)})
	if err != nil {
		return proto.Frame{}, fmt.Errorf("read payload: %w", err)
	}
	frame, err := proto.Decode(message)
	if err != nil {
		return proto.Frame{}, fmt.Errorf("read payload: %w", err)
	}
	if err := unknownMember(sends, act.Payload); err != nil {
		return proto.Frame{}, err
	}
	measure(frame.Payload, act.Body)
	if err := frame.Validate(); err != nil {
		return proto.Frame{}, err
	}
	return proto.New(act.ID, frame.Payload), nil
}

// measure sets size and digest of a begin that leaves them to Core, which takes them of the body (behaviour 4.2).
func measure(payload proto.Payload, body []byte) {
	sum := sha256.Sum256(body)
	switch begin := payload.(type) {
	case *proto.WorkspaceWrite:
		if begin.SHA256 == "" {
			begin.SizeBytes, begin.SHA256 = int64(len(body)), hex.EncodeToString(sum[:])
		}
	case *proto.RuntimePrepare:
		bytes := begin.Action != proto.ActionInitialize && begin.Action != proto.ActionFinalize
		if bytes && begin.SHA256 == "" {
			begin.SizeBytes, begin.SHA256 = int64(len(body)), hex.EncodeToString(sum[:])
		}
	}
}

// unknownMember refuses a member that would not be sent: whoever wrote it meant another.
func unknownMember(sends proto.Type, payload []byte) error {
	kind, _ := proto.KindOf(sends)
	if len(payload) == 0 {
		return nil
	}
	err := json.Unmarshal(payload, kind.New(), json.RejectUnknownMembers(true))
	semantic, is := errors.AsType[*json.SemanticError](err)
	if !is || !errors.Is(semantic.Err, json.ErrUnknownName) {
		return nil
	}
	path := strings.ReplaceAll(string(semantic.JSONPointer), "/", ".")
	return proto.Fault{Rule: kind.Section, Path: "payload" + path, Expected: "a member of " + string(sends), Found: "one that it does not have"}
}
