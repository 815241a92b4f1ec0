package core

import (
	"context"
	"encoding/json"
	"fmt"

	"parley/backend/store"
	"parley/daemon/proto"
)

// outcome is what is kept of a Turn's end (behaviour 8.1).
type outcome struct {
	Done             *proto.Done `json:"done,omitempty"` // merged with the cancellation's outcome
	EngineErrorCode  string      `json:"engine_error_code,omitempty"`
	EngineHTTPStatus *int        `json:"engine_http_status,omitempty"`
	Error            string      `json:"error,omitempty"`
	ErrorCode        string      `json:"error_code,omitempty"`
	AppliedThrough   int64       `json:"applied_through,omitempty"`
}

// settle ends the Turn with what is still to be told before its end. It works while the Service ends too: an end that
// was observed is kept.
func (j *job) settle(end store.Settlement, o outcome, before *store.Journal) error {
	s := j.service
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.life), finishTime)
	defer cancel()
	o.AppliedThrough = end.Applied
	data, err := json.Marshal(fitted(o))
	if err != nil {
		return fmt.Errorf("write outcome of turn %q: %w", j.turn.ID, err)
	}
	end.Outcome, end.At = data, s.now()
	if o.Done != nil {
		end.NativeID = o.Done.NativeSession()
		end.Usage = usageOf(o.Done)
	}
	settled, err := s.store.SettleTurn(ctx, j.turn.ID, end, func(t store.Turn) store.Journal {
		if before == nil {
			return endOfTurn(t)
		}
		return join(*before, endOfTurn(t))
	})
	if err != nil {
		return fmt.Errorf("settle turn %q: %w", j.turn.ID, err)
	}
	j.turn = settled
	return nil
}

// maxOutcomeText bounds the free text of an outcome, in bytes, so that the whole fits (behaviour 8.1).
const maxOutcomeText = 128 << 10

// fitted cuts what would not fit. The full text is in the items.
func fitted(o outcome) outcome {
	if o.Done != nil {
		done := *o.Done
		done.Transcript = ""
		done.Content = cut(done.Content, maxOutcomeText)
		o.Done = &done
	}
	o.Error = cut(o.Error, 4<<10)
	return o
}

func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && text[most]&0xc0 == 0x80 {
		most--
	}
	return text[:most]
}

// usageOf gives the last measurement; nil when it is unknown.
func usageOf(done *proto.Done) []byte {
	if done.Usage == nil || done.Usage.Tokens == nil {
		return nil
	}
	data, err := json.Marshal(done.Usage.Tokens)
	if err != nil {
		return nil
	}
	return data
}
