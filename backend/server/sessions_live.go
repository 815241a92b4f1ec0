package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"parley/backend/core"
)

// Times of a stream to a page.
const (
	livePace  = 100 * time.Millisecond // between two events: at most one paint each (ux-anchors V4)
	liveWrite = 5 * time.Second        // for one write to a reader
	liveAlive = 15 * time.Second       // between two signs of life
)

// live tells a page that a Session has changed: the number of its last event and nothing else. The page then asks for
// what is shown. The first event tells the number at the start, so that nothing before it is missed.
func (h sessions) live(c echo.Context) error {
	ctx, id := c.Request().Context(), c.Param("id")
	feed := h.Follow(id) // before the Session is read, so that no event falls between
	defer feed.Close()
	view, err := h.Session(ctx, id)
	if err != nil {
		return err
	}
	stream := liveStream{w: c.Response(), control: http.NewResponseController(c.Response().Writer)}
	c.Response().Header().Set(echo.HeaderContentType, "text/event-stream; charset=utf-8")
	c.Response().WriteHeader(http.StatusOK)
	if err := stream.changed(view.Events); err != nil {
		return nil // the reader went away; it asks again when it is back
	}
	_ = stream.follow(ctx, feed) // as above
	return nil
}

// liveStream writes events to one page.
type liveStream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func (s liveStream) follow(ctx context.Context, feed *core.Feed) error {
	pace := time.NewTimer(livePace)
	defer pace.Stop()
	for {
		waiting, cancel := context.WithTimeout(ctx, liveAlive)
		events, err := feed.Next(waiting)
		cancel()
		switch {
		case len(events) > 0:
			err = s.changed(events[len(events)-1].Seq)
		case errors.Is(err, core.ErrDeleted):
			return s.write("event: gone\ndata: {}\n\n")
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			err = s.write(": alive\n\n")
		}
		if err != nil {
			return err
		}
		pace.Reset(livePace)
		select {
		case <-pace.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s liveStream) changed(seq int64) error {
	return s.write(fmt.Sprintf("event: changed\ndata: {\"seq\":%d}\n\n", seq))
}

// write gives one event to the reader at once, or fails when it takes too long.
func (s liveStream) write(text string) error {
	if err := s.control.SetWriteDeadline(time.Now().Add(liveWrite)); err != nil {
		return fmt.Errorf("bound the writing of an event: %w", err)
	}
	if _, err := s.w.Write([]byte(text)); err != nil {
		return fmt.Errorf("write an event: %w", err)
	}
	if err := s.control.Flush(); err != nil {
		return fmt.Errorf("send an event: %w", err)
	}
	return nil
}
