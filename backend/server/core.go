package server

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// maxDrive bounds one line to the driver, in bytes: a frame with its body in base64 and some words.
const maxDrive = 12 << 20

// Core is what the server needs to show and move Core's side of the machine connection.
type Core interface {
	// Runtimes lists the devices that are not revoked, connected or not.
	Runtimes(ctx context.Context) (Runtimes, error)
	// Wake brings the lab's own Runtime back from a suspension; false when the lab has none.
	Wake() bool
	// Drive does what one line of the driver's protocol asks for and gives the line that answers it.
	Drive(ctx context.Context, line []byte) ([]byte, error)
}

// Runtimes are the devices of the lab.
type Runtimes struct {
	List    []Runtime `json:"runtimes"`
	Revoked int       `json:"revoked"` // devices that may not connect any more
}

// Runtime is a device as the lab shows it. What is not known is absent; nothing is inferred from silence.
type Runtime struct {
	DeviceID string    `json:"device_id"`
	Name     string    `json:"name"`
	Own      bool      `json:"own"` // the lab's own Runtime
	Online   bool      `json:"online"`
	LastSeen time.Time `json:"last_seen,omitzero"` // the last valid heartbeat; zero: none came

	// What the lab's own Runtime says of itself; absent for every other, which is seen from Core's side alone.
	State       string    `json:"state,omitempty"` // what its connection is doing
	StateSince  time.Time `json:"state_since,omitzero"`
	Failures    int       `json:"failures,omitempty"` // consecutive failed attempts
	NextAttempt time.Time `json:"next_attempt,omitzero"`
	LastError   string    `json:"last_error,omitempty"` // what ended or prevented its last connection

	Connection *RuntimeConnection `json:"connection,omitempty"` // the open one
	LastEnd    *RuntimeEnd        `json:"last_end,omitempty"`   // of the last one that ended since the lab started
	Declared   bool               `json:"declared"`             // a valid heartbeat came; until then the kinds are unknown
	Kinds      []RuntimeKind      `json:"kinds"`                // of the last valid heartbeat; empty while none came
}

// RuntimeConnection is what Core's side counts of an open connection.
type RuntimeConnection struct {
	Since   time.Time `json:"since"`
	Build   string    `json:"build,omitempty"` // of the last valid heartbeat
	Active  int       `json:"active_requests"` // of the last valid heartbeat
	In      int64     `json:"frames_in"`       // whole messages from the Runtime
	Out     int64     `json:"frames_out"`      // put into the send queue
	Dropped int64     `json:"frames_dropped"`  // of those that came: for nobody
}

// RuntimeEnd is how a connection ended.
type RuntimeEnd struct {
	At     time.Time `json:"at"`
	ByCore bool      `json:"by_core"` // Core closed it; else the Runtime did, or the network
	Code   int       `json:"code,omitempty"`
	Why    string    `json:"why,omitempty"`
}

// RuntimeKind is a kind of harness that a Runtime advertises.
type RuntimeKind struct {
	Kind         string   `json:"kind"`
	Available    bool     `json:"available"`
	Version      string   `json:"version,omitempty"`
	Capabilities []string `json:"capabilities"` // the supported ones, by their names on the wire
}

// runtimes answers for the Runtimes of the lab.
type runtimes struct{ core Core }

func (h runtimes) list(c echo.Context) error {
	all, err := h.core.Runtimes(c.Request().Context())
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, all)
}

func (h runtimes) wake(c echo.Context) error {
	if !h.core.Wake() {
		return refuse(CodeNotFound, "the lab runs without a runtime of its own")
	}
	return c.NoContent(http.StatusNoContent)
}

func (h runtimes) drive(c echo.Context) error {
	line, err := receive(c, jsonType, maxDrive)
	if err != nil {
		return err
	}
	answer, err := h.core.Drive(c.Request().Context(), line)
	if err != nil {
		return err
	}
	return writeDocument(c, http.StatusOK, answer)
}
