package api

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley/backend/core"
	"parley/backend/store"
	"parley/daemon/proto"
)

// Types of input events (behaviour 8.6).
const (
	inputPrefix     = "agent.session.input."
	inputMessage    = inputPrefix + "message"
	inputCancel     = inputPrefix + "cancel"
	inputToolResult = inputPrefix + "tool_result"
)

// addEvents takes a batch of input events.
func (a *API) addEvents(c *call) error {
	key, err := c.idempotencyKey()
	if err != nil {
		return err
	}
	data, err := c.body()
	if err != nil {
		return err
	}
	var asked struct {
		Events []jsontext.Value `json:"events"`
	}
	if err := core.Read(data, &asked); err != nil {
		return err
	}
	events, err := readEvents("events", asked.Events)
	if err != nil {
		return err
	}
	if _, err := a.core.AddInputs(c.context(), c.id("id"), key, sha256.Sum256(data), events); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusAccepted)
	return nil
}

// readInput reads the first input of a Session: a text, the parts of one message, or events; nothing is none.
func readInput(value jsontext.Value) ([]core.InputEvent, error) {
	switch value.Kind() {
	case 'n', jsontext.KindInvalid:
		return nil, nil
	case '"':
		content, err := readContent("input", value)
		return []core.InputEvent{messageOf(content)}, err
	case '[':
	default:
		return nil, refuseParam(codeInvalid, "input", "expected a text, a list of content parts or a list of events")
	}
	var elements []jsontext.Value
	if err := readAt("input", value, &elements); err != nil {
		return nil, err
	}
	if len(elements) > 0 && !strings.HasPrefix(typeOf(elements[0]), inputPrefix) {
		content, err := readContent("input", value)
		return []core.InputEvent{messageOf(content)}, err
	}
	return readEvents("input", elements)
}

func messageOf(content []proto.InputContent) core.InputEvent {
	return core.InputEvent{Kind: store.InputMessage, Message: proto.MessageInput{{Content: content}}}
}

// typeOf gives the type of an event or a part, "" where there is none.
func typeOf(value jsontext.Value) string {
	var members map[string]jsontext.Value
	if core.Read(value, &members) != nil {
		return ""
	}
	var name string
	if core.Read(members["type"], &name) != nil {
		return ""
	}
	return name
}

func readEvents(place string, values []jsontext.Value) ([]core.InputEvent, error) {
	if len(values) > store.MaxBatchInputs {
		return nil, refuseParam(codeInvalid, place, fmt.Sprintf("expected at most %d", store.MaxBatchInputs))
	}
	events := make([]core.InputEvent, 0, len(values))
	for i, value := range values {
		event, err := readEvent(fmt.Sprintf("%s[%d]", place, i), value)
		if err != nil {
			return nil, err
		}
		events = append(events, event)
	}
	return events, nil
}

func readEvent(place string, value jsontext.Value) (core.InputEvent, error) {
	switch typeOf(value) {
	case inputMessage:
		return readMessage(place, value)
	case inputCancel:
		var asked struct {
			Type string `json:"type"`
		}
		return core.InputEvent{Kind: store.InputCancel}, readAt(place, value, &asked)
	case inputToolResult:
		return readToolResult(place, value)
	}
	return core.InputEvent{}, refuseParam(codeInvalid, place+".type",
		"expected "+inputMessage+", "+inputCancel+" or "+inputToolResult)
}

func readMessage(place string, value jsontext.Value) (core.InputEvent, error) {
	var asked struct {
		Type    string         `json:"type"`
		Content jsontext.Value `json:"content"`
	}
	if err := readAt(place, value, &asked); err != nil {
		return core.InputEvent{}, err
	}
	content, err := readContent(place+".content", asked.Content)
	return messageOf(content), err
}

// readToolResult reads the answer to a call: output with success, error without.
func readToolResult(place string, value jsontext.Value) (core.InputEvent, error) {
	var asked struct {
		Type    string         `json:"type"`
		TurnID  string         `json:"turn_id"`
		CallID  string         `json:"call_id"`
		Success *bool          `json:"success"`
		Output  jsontext.Value `json:"output"`
		Error   jsontext.Value `json:"error"`
	}
	if err := readAt(place, value, &asked); err != nil {
		return core.InputEvent{}, err
	}
	if asked.Success == nil {
		return core.InputEvent{}, refuseParam(codeInvalid, place+".success", "expected true or false")
	}
	given, other, name, otherName := asked.Output, asked.Error, ".output", ".error"
	if !*asked.Success {
		given, other, name, otherName = other, given, otherName, name
	}
	if !absent(other) {
		return core.InputEvent{}, refuseParam(codeInvalid, place+otherName, fmt.Sprintf("does not go with success %t", *asked.Success))
	}
	content, err := readContent(place+name, given)
	return core.InputEvent{Kind: store.InputToolResult, TurnID: asked.TurnID, CallID: asked.CallID, Success: *asked.Success, Content: content}, err
}

func absent(value jsontext.Value) bool {
	return value.Kind() == 'n' || value.Kind() == jsontext.KindInvalid
}

// readContent reads a text, or a list of parts (wire 3.5.1).
func readContent(place string, value jsontext.Value) ([]proto.InputContent, error) {
	switch value.Kind() {
	case '"':
		var text string
		err := readAt(place, value, &text)
		return []proto.InputContent{proto.TextPart(text)}, err
	case '[':
	default:
		return nil, refuseParam(codeInvalid, place, "expected a text or a list of content parts")
	}
	var parts []proto.InputContent
	if err := readAt(place, value, &parts); err != nil {
		return nil, err
	}
	for i, part := range parts {
		if err := checkPart(fmt.Sprintf("%s[%d]", place, i), part); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

func checkPart(place string, part proto.InputContent) error {
	switch {
	case part.Type == proto.InputText && part.Text != nil && part.ImageURL == nil:
		return nil
	case part.Type == proto.InputImage && part.ImageURL != nil && part.Text == nil:
		return nil
	case part.Type == proto.InputText:
		return refuseParam(codeInvalid, place, "expected a text and nothing else with type "+proto.InputText)
	case part.Type == proto.InputImage:
		return refuseParam(codeInvalid, place, "expected an image_url and nothing else with type "+proto.InputImage)
	}
	return refuseParam(codeInvalid, place+".type", "expected "+proto.InputText+" or "+proto.InputImage)
}

// readAt reads a part of a body, and tells its place with what is wrong in it.
func readAt(place string, value jsontext.Value, into any) error {
	err := core.Read(value, into)
	var wrong *core.InvalidError
	if errors.As(err, &wrong) {
		return wrong.Under(place)
	}
	return err
}
