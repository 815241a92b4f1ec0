package dispatch

import (
	"errors"

	"parley/daemon/proto"
	"parley/daemon/workspace"
)

// body is where the bytes of a transfer wait until they are all there.
type body interface {
	Append(offset int64, data []byte) error
	Staged() int64
	Complete() error
	Discard()
}

// noBody stands for the bytes of a step that has none (wire 3.8.2).
type noBody struct{}

func (noBody) Append(int64, []byte) error { return workspace.ErrTooLarge }
func (noBody) Staged() int64              { return 0 }
func (noBody) Complete() error            { return nil }
func (noBody) Discard()                   {}

// stage tells the peer that it may send, collects chunks in order, and returns without error when the commit has come
// and the body is complete (behaviour 7.1, 7.2). Success makes the answer to a step.
func (r *Router) stage(t *transfer, into body, success func(outcome string, offset int64) proto.Payload) error {
	if err := r.answer(t, success(proto.OutcomeReady, 0)); err != nil {
		return err
	}
	for {
		s, err := t.next()
		if err != nil {
			return err
		}
		if s.commit {
			return into.Complete()
		}
		if err := into.Append(s.offset, s.data); err != nil {
			return err
		}
		if err := r.answer(t, success(proto.OutcomeReceived, into.Staged())); err != nil {
			return err
		}
	}
}

// misused reports an end for which the peer or the clock of the steps is the reason: rejected as invalid_request, nothing
// applied (behaviour 7.1).
func misused(err error) bool {
	for _, cause := range []error{errStepsOver, errMalformed, workspace.ErrOffset, workspace.ErrTooLarge, workspace.ErrShort,
		workspace.ErrDigest} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}
