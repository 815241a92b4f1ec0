package drive

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json"

	"parley/backend/gateway"
	"parley/daemon/proto"
	"parley/daemon/wiretest"
)

// result tells the last result of an operation, or what became of it.
func result(payload any, err error) wiretest.Observation {
	var refused *gateway.RefusedError
	var failed *gateway.FailedError
	switch {
	case errors.As(err, &refused):
		return wiretest.Observation{Refused: refused.Code}
	case errors.As(err, &failed):
		return wiretest.Observation{Refused: failed.Code}
	case err != nil:
		return wiretest.Observation{Failed: lack(err)}
	}
	return wiretest.Observation{Result: encoded(payload)}
}

// lack names why there is no result.
func lack(err error) string {
	switch {
	case errors.Is(err, gateway.ErrSessionClosed):
		return wiretest.EndedLost
	case errors.Is(err, gateway.ErrNoAnswer), errors.Is(err, context.DeadlineExceeded):
		return wiretest.FailedTimeout
	}
	return "unconfirmed"
}

// encoded writes a payload as it stands in a frame.
func encoded(payload any) []byte {
	if p, ok := payload.(proto.Payload); ok {
		if data, err := proto.EncodePayload(p); err == nil {
			return data
		}
	}
	data, err := json.Marshal(payload)
	if err != nil {
		return []byte("null")
	}
	return data
}
