package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxBody bounds the body of a request, in bytes (behaviour 8.6).
const MaxBody = 1 << 20

const (
	jsonType = "application/json"
	bodyTime = 5 * time.Second        // for a whole body (hostile-inputs H-4)
	linger   = 250 * time.Millisecond // in which a connection that is being closed may deliver what is under way
	maxDepth = 128                    // levels of a body; ours
	maxShown = 100                    // bytes of a sender's header that an answer repeats
)

// bound gives a body its time before anything is looked at, so that a slow sender who is refused is bounded too.
func (c *call) bound() error {
	if c.r.ContentLength == 0 {
		return nil
	}
	return http.NewResponseController(c.w).SetReadDeadline(time.Now().Add(bodyTime))
}

// body takes the request's JSON object through the gates of behaviour 8.6, in their order.
func (c *call) body() ([]byte, error) {
	if err := c.announced(); err != nil {
		return nil, err
	}
	data, err := c.whole()
	if err != nil {
		c.hangUp()
		return nil, err
	}
	return data, checkText(data)
}

// announced wants one Content-Type; parameters and case do not matter.
func (c *call) announced() error {
	types := c.r.Header["Content-Type"]
	if len(types) == 1 {
		if media, _, err := mime.ParseMediaType(types[0]); err == nil && media == jsonType {
			return nil
		}
	}
	found := "none"
	switch {
	case len(types) > 1:
		found = fmt.Sprintf("%d headers", len(types))
	case len(types) == 1 && types[0] != "":
		found = strconv.QuoteToASCII(types[0][:min(len(types[0]), maxShown)])
	}
	return refuse(codeMediaType, "Content-Type: expected "+jsonType+", found "+found)
}

// whole reads the body to its end and lifts its deadline, which would end the stream of an answer.
func (c *call) whole() ([]byte, error) {
	tooLarge := refuse(codeTooLarge, fmt.Sprintf("body: expected at most %d bytes", MaxBody))
	if c.r.ContentLength > MaxBody {
		return nil, tooLarge
	}
	data, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, MaxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, tooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, refuse(codeTimeout, fmt.Sprintf("body: not complete within %s", bodyTime))
	case errors.Is(err, context.Canceled):
		return nil, err
	case err != nil:
		return nil, &refusal{code: codeBroken, message: "body: it ended early", cause: err}
	}
	return data, http.NewResponseController(c.w).SetReadDeadline(time.Time{})
}

// hangUp makes the server close the connection after the answer, without waiting for the rest of the body.
func (c *call) hangUp() {
	c.w.Header().Set("Connection", "close")
	_ = http.NewResponseController(c.w).SetReadDeadline(time.Now().Add(linger)) // where it fails the answer already says so
}

// checkText holds a body to UTF-8, JSON, no name twice, an object: the first that it breaks is told.
func checkText(data []byte) error {
	if !utf8.Valid(data) {
		return refuse(codeUTF8, "body: expected UTF-8")
	}
	err := scan(data, false)
	if errors.Is(err, jsontext.ErrDuplicateName) {
		if broken := scan(data, true); broken != nil {
			err = broken
		}
	}
	var syntax *jsontext.SyntacticError
	switch {
	case err == nil:
	case errors.Is(err, jsontext.ErrDuplicateName):
		return refuse(codeDuplicate, "body: a name stands twice in one object")
	case errors.Is(err, errDeep):
		return refuse(codeJSON, fmt.Sprintf("body: expected at most %d levels", maxDepth))
	case errors.As(err, &syntax):
		return refuse(codeJSON, fmt.Sprintf("body: expected one JSON value, found other text at byte %d", syntax.ByteOffset))
	default:
		return refuse(codeJSON, "body: expected one JSON value")
	}
	if jsontext.Value(data).Kind() != '{' {
		return refuse(codeRoot, "body: expected an object")
	}
	return nil
}

var errDeep = errors.New("nested too deeply")

// scan reads one JSON value token by token, in time and memory linear in its size.
func scan(data []byte, twice bool) error {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(twice))
	for first := true; first || decoder.StackDepth() > 0; first = false {
		if _, err := decoder.ReadToken(); err != nil {
			return err
		}
		if decoder.StackDepth() > maxDepth {
			return errDeep
		}
	}
	_, err := decoder.ReadToken()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil {
		return errors.New("more than one value")
	}
	return err
}
