package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
	"time"

	"github.com/labstack/echo/v4"

	"parley/runner"
)

// Ways in which a request's body can fail to arrive.
var (
	errNoDeadline  = errors.New("the server cannot bound the reading of the body") // nothing was read
	errMediaType   = errors.New("the body is not announced as the accepted media type")
	errTooLarge    = errors.New("the body is too large")
	errTimeout     = errors.New("the body was not complete in time")
	errInterrupted = errors.New("the body ended early")
	errUnreadable  = errors.New("the body cannot be read")
)

const jsonType = "application/json"

// linger is how long a connection that is being closed may still deliver what its sender has under way. Without it the
// kernel would answer late bytes with a reset, which can destroy the answer before it is read.
const linger = 250 * time.Millisecond

// take reads one body of at most limit bytes. The deadline is set before anything is looked at, so that a slow sender
// with a wrong media type is bounded too, and lifted once the body is complete, so that a long run is not cut
// (runner 7.2): net/http itself lifts it only where there was a body to read.
func take(w http.ResponseWriter, r *http.Request, media string, limit int64) ([]byte, error) {
	control := http.NewResponseController(w)
	if err := control.SetReadDeadline(time.Now().Add(runner.BodyDeadline)); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoDeadline, err)
	}
	if !announces(r, media) {
		return nil, &mediaError{want: media, found: r.Header["Content-Type"]}
	}
	if r.ContentLength > limit {
		return nil, errTooLarge
	}
	data, err := readAll(http.MaxBytesReader(w, r.Body, limit), r.ContentLength)
	if err != nil {
		return nil, faultOf(err)
	}
	if err := control.SetReadDeadline(time.Time{}); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoDeadline, err)
	}
	return data, nil
}

// receive takes a body for the lab's own routes. What was not complete is not waited for.
func receive(c echo.Context, media string, limit int64) ([]byte, error) {
	w := c.Response().Writer
	data, err := take(w, c.Request(), media, limit)
	if err != nil && !errors.Is(err, errMediaType) {
		hangUp(w)
	}
	return data, err
}

// readAll reads to the end. A declared size gets its memory at once, at the cost of one byte to see the end in.
func readAll(body io.Reader, declared int64) ([]byte, error) {
	data := make([]byte, 0, max(declared, 511)+1)
	for {
		n, err := body.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if errors.Is(err, io.EOF) {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}

func faultOf(err error) error {
	var large *http.MaxBytesError
	var network *net.OpError
	switch {
	case errors.As(err, &large):
		return errTooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errTimeout
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, context.Canceled),
		errors.As(err, &network):
		return errInterrupted
	}
	return fmt.Errorf("%w: %w", errUnreadable, err)
}

// hangUp makes the server close the connection after the answer, without waiting for the rest of the body.
func hangUp(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	// Where the deadline cannot be set the answer already says so.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(linger))
}
