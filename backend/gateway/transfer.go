package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"parley/daemon/proto"
)

// transfer is a body on its way in steps: begin, chunks in order, commit, each answered before the next (behaviour 7).
// It holds one chunk of the body.
type transfer struct {
	c       *Connection
	x       *exchange
	kind    proto.Type
	limit   int    // of one payload, in bytes
	trace   string // one for all steps
	sent    string // last step that left
	payload func(step string, offset int64, data []byte) proto.Payload
	// judge gives nil when a reply lets the transfer go on; staged counts the bytes that the Runtime has after the step.
	judge func(reply proto.Frame, step string, staged int64) error
}

// run does the whole transfer of size bytes. Before the begin is sent errors are definite.
func (t *transfer) run(ctx context.Context, body io.Reader, size int64) error {
	if err := t.ask(ctx, proto.StepBegin, 0, nil); err != nil {
		return err
	}
	chunk := make([]byte, min(size, proto.MaxChunk))
	for staged := int64(0); staged < size; {
		data := chunk[:min(size-staged, proto.MaxChunk)]
		if _, err := io.ReadFull(body, data); err != nil {
			return t.unconfirmed(fmt.Errorf("read body at %d of %d: %w", staged, size, err))
		}
		if err := t.ask(ctx, proto.StepChunk, staged, data); err != nil {
			return err
		}
		staged += int64(len(data))
	}
	return t.ask(ctx, proto.StepCommit, size, nil)
}

// ask sends one step and takes its reply.
func (t *transfer) ask(ctx context.Context, step string, offset int64, data []byte) error {
	if err := t.x.expect(); err != nil {
		return t.unconfirmed(err)
	}
	f := proto.New(t.x.key, t.payload(step, offset, data))
	f.Trace = t.trace
	if err := t.c.send(ctx, f, t.limit); err != nil {
		return t.unconfirmed(err)
	}
	t.sent = step
	answer, err := t.x.wait(ctx)
	if err != nil {
		return t.unconfirmed(err)
	}
	return t.judge(answer, step, offset+int64(len(data)))
}

// unconfirmed keeps what is known: while nothing was sent, that nothing was done.
func (t *transfer) unconfirmed(cause error) error {
	if t.sent == "" {
		return cause
	}
	return &UnconfirmedError{Operation: t.kind, ID: t.x.key, Sent: t.sent, Cause: cause}
}

// errLarge says that a body is over the limit of a transfer.
var errLarge = errors.New("body is too large")

// measure gives size and digest of a body from where it stands, and goes back there.
func measure(body io.ReadSeeker) (size int64, digest string, err error) {
	if body == nil {
		return 0, "", errors.New("expected a body, found none")
	}
	start, err := body.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, "", fmt.Errorf("measure body: %w", err)
	}
	sum := sha256.New()
	size, err = io.Copy(sum, io.LimitReader(body, proto.MaxTransfer+1))
	if err != nil {
		return 0, "", fmt.Errorf("measure body: %w", err)
	}
	if size > proto.MaxTransfer {
		return 0, "", fmt.Errorf("%w: expected at most %d bytes, found more", errLarge, proto.MaxTransfer)
	}
	if _, err := body.Seek(start, io.SeekStart); err != nil {
		return 0, "", fmt.Errorf("measure body: %w", err)
	}
	return size, hex.EncodeToString(sum.Sum(nil)), nil
}
