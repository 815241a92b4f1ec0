package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"parley/backend/core"
	"parley/backend/store"
)

// Numbers of a stream (behaviour 8.6).
const (
	keepAlive   = 15 * time.Second
	streamWrite = 5 * time.Second // for one write; a reader that blocks it for longer is given up
	journalPage = 200             // events that are read at once
)

// streamEvents follows a Session: from now on, or with ?after= from the journal.
func (a *API) streamEvents(c *call) error {
	values, err := c.query("after")
	if err != nil {
		return err
	}
	session, err := a.core.Session(c.context(), c.id("id"))
	if err != nil {
		return err
	}
	after := session.Events
	if values.Has("after") {
		after, err = strconv.ParseInt(values.Get("after"), 10, 64)
		if err != nil || after < 0 || after > session.Events {
			return refuseParam(codeInvalid, "after", "expected 0 to "+strconv.FormatInt(session.Events, 10)+", the id of the last event")
		}
	}
	return a.stream(c, session.ID, after)
}

// stream is one answer of events. Its handler's goroutine owns it.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	last    int64 // Seq of the event that was written last
}

// stream writes a Session's events after a sequence number until the reader goes, is too slow, or the Session is deleted.
// What went wrong after the status is told in the stream, as nothing else can be told any more.
func (a *API) stream(c *call, session string, after int64) error {
	c.w.Header().Set("Content-Type", "text/event-stream")
	c.w.Header().Set("Connection", "close") // the deadline of its writes is its connection's
	c.w.WriteHeader(http.StatusOK)
	s := &stream{w: c.w, control: http.NewResponseController(c.w), last: after}
	defer s.limit() // the end is written too
	err := s.flush()
	if err == nil {
		err = a.follow(c, s, session)
	}
	var gone *goneError
	switch {
	case err == nil, errors.As(err, &gone), c.context().Err() != nil, errors.Is(err, core.ErrDeleted), errors.Is(err, store.ErrNotFound):
		return nil
	case errors.Is(err, core.ErrInterrupted):
		err = refuse(codeInterrupted, "the stream ended before its Session; go on with ?after="+strconv.FormatInt(s.last, 10))
	}
	r := judge(err)
	if r.code == codeInternal {
		a.log.Error("event stream failed", "session", session, "error", err)
	}
	s.fail(r)
	return nil
}

// follow catches up with the journal first and with what came meanwhile afterwards, so that no feed has to wait for a long
// history.
func (a *API) follow(c *call, s *stream, session string) error {
	ctx := c.context()
	if err := a.catchUp(ctx, s, session); err != nil {
		return err
	}
	feed := a.core.Follow(session)
	defer feed.Close()
	if err := a.catchUp(ctx, s, session); err != nil {
		return err
	}
	for checked := a.now(); ; {
		events, err := next(ctx, feed)
		if errors.Is(err, errQuiet) {
			err = s.comment()
		}
		if now := a.now(); err == nil && now.Sub(checked) >= keepAlive {
			err, checked = a.stillAdmitted(c), now
		}
		if err == nil {
			err = s.write(events)
		}
		if err != nil {
			return err
		}
	}
}

func (a *API) catchUp(ctx context.Context, s *stream, session string) error {
	for {
		events, err := a.core.Events(ctx, session, s.last, journalPage)
		if err != nil || len(events) == 0 {
			return err
		}
		if err := s.write(events); err != nil {
			return err
		}
	}
}

var errQuiet = errors.New("nothing happened")

// next waits for events as long as a stream may be silent.
func next(ctx context.Context, feed *core.Feed) ([]store.Event, error) {
	waiting, cancel := context.WithTimeoutCause(ctx, keepAlive, errQuiet)
	defer cancel()
	return feed.Next(waiting)
}

// goneError says that nobody reads any more, or too slowly.
type goneError struct{ cause error }

func (e *goneError) Error() string { return "write event: " + e.cause.Error() }

func (e *goneError) Unwrap() error { return e.cause }

// write sends those events that were not sent.
func (s *stream) write(events []store.Event) error {
	wrote := false
	for _, event := range events {
		if event.Seq <= s.last {
			continue
		}
		if err := s.send("id: ", strconv.FormatInt(event.Seq, 10), "\nevent: ", event.Type, "\ndata: ", string(event.Payload), "\n\n"); err != nil {
			return err
		}
		s.last, wrote = event.Seq, true
	}
	if !wrote {
		return nil
	}
	return s.flush()
}

// send writes one piece within its time.
func (s *stream) send(parts ...string) error {
	if err := s.limit(); err != nil {
		return err
	}
	for _, part := range parts {
		if _, err := s.w.Write([]byte(part)); err != nil {
			return &goneError{err}
		}
	}
	return nil
}

// limit gives what is written next its time.
func (s *stream) limit() error {
	if err := s.control.SetWriteDeadline(time.Now().Add(streamWrite)); err != nil {
		return &goneError{err}
	}
	return nil
}

func (s *stream) flush() error {
	if err := s.limit(); err != nil {
		return err
	}
	if err := s.control.Flush(); err != nil {
		return &goneError{err}
	}
	return nil
}

// comment shows that the stream lives.
func (s *stream) comment() error {
	if err := s.send(": keep-alive\n\n"); err != nil {
		return err
	}
	return s.flush()
}

// fail tells in the stream what ended it (behaviour 8.6).
func (s *stream) fail(r *refusal) {
	text, err := json.Marshal(map[string]any{"type": "error",
		"error": errorDocument{Type: rowFor(r.code).Type, Code: string(r.code), Message: r.message}})
	if err == nil && s.send("event: error\ndata: ", string(text), "\n\n") == nil {
		_ = s.flush() // the end of the connection says it too
	}
}
