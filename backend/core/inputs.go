package core

import (
	"context"
	"encoding/json"
	"fmt"

	"parley/backend/store"
	"parley/daemon/proto"
)

// InputEvent is one input as the API takes it (behaviour 8.6).
type InputEvent struct {
	Kind store.InputKind

	Message proto.MessageInput // message: one message

	TurnID  string // tool_result, down to Error
	CallID  string
	Success bool
	Content []proto.InputContent
}

// maxInputs bounds one batch (behaviour 8.2).
const maxInputs = 64

// AddInputs takes a batch into a Session. What it returns without error is on the disk. Errors: *InvalidError and those of
// the store: ErrNotFound, ErrConflict, ErrIdempotency.
func (s *Service) AddInputs(ctx context.Context, session, key string, digest [32]byte, events []InputEvent) (store.Added, error) {
	if len(events) == 0 || len(events) > maxInputs {
		return store.Added{}, invalid("events", fmt.Sprintf("expected 1 to %d", maxInputs))
	}
	inputs, err := storeInputs("events", events, false)
	if err != nil {
		return store.Added{}, err
	}
	added, err := s.store.AddInputs(ctx, session,
		store.Batch{Key: key, Digest: digest, Inputs: inputs, At: s.now()}, describeAdded)
	if err != nil {
		return store.Added{}, err
	}
	s.Wake()
	return added, nil
}

// storeInputs checks inputs and writes them as they are kept; first ones are messages only. Place is where a request has
// them.
func storeInputs(place string, events []InputEvent, first bool) ([]store.Input, error) {
	inputs := make([]store.Input, 0, len(events))
	for i, event := range events {
		input, err := storeInput(event)
		if err == nil && first && event.Kind != store.InputMessage {
			err = invalid("type", "the first input of a Session is a message")
		}
		if err != nil {
			return nil, under(fmt.Sprintf("%s[%d]", place, i), err)
		}
		inputs = append(inputs, input)
	}
	return inputs, nil
}

func storeInput(event InputEvent) (store.Input, error) {
	input := store.Input{Kind: event.Kind, TurnID: event.TurnID, CallID: event.CallID}
	var err error
	switch event.Kind {
	case store.InputMessage:
		if len(event.Message) != 1 || event.Message.Validate() != nil {
			return input, invalid("content", "expected text that is not empty, or an image")
		}
		if err = checkImages("content", event.Message[0].Content); err != nil {
			return input, err
		}
		input.Payload, err = json.Marshal(event.Message[0])
	case store.InputCancel:
		input.Payload = []byte("{}")
	case store.InputToolResult:
		if event.TurnID == "" || event.CallID == "" {
			return input, invalid("call_id", "expected turn_id and call_id of an open call")
		}
		if err = checkImages("output", event.Content); err != nil {
			return input, err
		}
		input.Result, err = json.Marshal(toolResult{Success: event.Success, Content: event.Content})
		input.Payload = input.Result
	default:
		return input, invalid("type", "expected message, cancel or tool_result")
	}
	return input, err
}

// checkImages holds images to the public profile (wire 3.5.3).
func checkImages(place string, parts []proto.InputContent) error {
	for i, part := range parts {
		if part.Type != proto.InputImage || part.ImageURL == nil {
			continue
		}
		if err := proto.CheckInlineImage(*part.ImageURL); err != nil {
			return invalid(fmt.Sprintf("%s[%d].image_url", place, i), err.Error())
		}
	}
	return nil
}

// toolResult is the answer to a call as it is kept and sent (wire 3.9.5).
type toolResult struct {
	Success bool                 `json:"success"`
	Content []proto.InputContent `json:"content"`
}

// messagesOf reads kept message inputs.
func messagesOf(inputs []store.Input) (proto.MessageInput, error) {
	var messages proto.MessageInput
	for _, input := range inputs {
		if input.Kind != store.InputMessage {
			continue
		}
		var message proto.Message
		if err := json.Unmarshal(input.Payload, &message); err != nil {
			return nil, fmt.Errorf("read input %d: %w", input.Seq, err)
		}
		messages = append(messages, message)
	}
	return messages, nil
}
