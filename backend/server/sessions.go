package server

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"regexp"

	"github.com/labstack/echo/v4"

	"parley/backend/core"
	"parley/backend/store"
	"parley/daemon/proto"
)

// maxAct bounds the body of an act on a Session, in bytes.
const maxAct = 1 << 20

// Sessions is what the server needs of the durable Core to show Sessions and to act on them.
type Sessions interface {
	Agents(context.Context, store.Page) ([]store.Agent, bool, error)
	Sessions(ctx context.Context, agent string, p store.Page) ([]core.SessionView, bool, error)
	Session(ctx context.Context, id string) (core.SessionView, error)
	Turn(ctx context.Context, id string) (store.Turn, error)
	Turns(ctx context.Context, session string, p store.Page) ([]store.Turn, bool, error)
	ItemsOfTurn(ctx context.Context, turn string, p store.Page) ([]store.Item, bool, error)
	Calls(ctx context.Context, turn string) ([]store.Call, error)
	Environment(ctx context.Context, id string) (store.Environment, error)
	Usage(context.Context, store.Session) (*proto.TokenUsage, error)
	CreateSession(context.Context, core.NewSession) (core.SessionView, error)
	AddInputs(ctx context.Context, session, key string, digest [32]byte, events []core.InputEvent) (store.Added, error)
	Follow(session string) *core.Feed
}

var _ Sessions = (*core.Service)(nil)

// sessions takes the acts of the Sessions pages. Each carries a key that the page made, so that a double click, a retry
// or a lost answer is one act (behaviour 8.2).
type sessions struct{ Sessions }

// sessionNote is the body of an act: what the person wrote, and what it is about.
type sessionNote struct {
	Key     string `json:"key"`
	Agent   string `json:"agent"`
	Turn    string `json:"turn"`
	Call    string `json:"call"`
	Success bool   `json:"success"`
	Text    string `json:"text"`

	digest [32]byte
}

// done answers an act.
type done struct {
	Session string `json:"session"`
	Turn    int64  `json:"turn,omitempty"` // number of the Turn that a message began or joined
}

func (h sessions) create(c echo.Context) error {
	note, err := receiveNote(c)
	if err != nil {
		return err
	}
	view, err := h.CreateSession(c.Request().Context(), core.NewSession{AgentID: note.Agent, Key: note.Key, Digest: note.digest,
		Inputs: []core.InputEvent{note.message()}})
	if err != nil {
		return problemOfAct(err)
	}
	return writeJSON(c, http.StatusCreated, done{Session: view.ID})
}

func (h sessions) message(c echo.Context) error {
	return h.add(c, sessionNote.message)
}

// cancel is about one Turn: where another has begun meanwhile nothing is cancelled.
func (h sessions) cancel(c echo.Context) error {
	return h.add(c, func(note sessionNote) core.InputEvent {
		return core.InputEvent{Kind: store.InputCancel, TurnID: note.Turn}
	})
}

func (h sessions) answer(c echo.Context) error {
	return h.add(c, func(note sessionNote) core.InputEvent {
		return core.InputEvent{Kind: store.InputToolResult, TurnID: note.Turn, CallID: note.Call, Success: note.Success,
			Content: []proto.InputContent{proto.TextPart(note.Text)}}
	})
}

func (n sessionNote) message() core.InputEvent {
	return core.InputEvent{Kind: store.InputMessage, Message: proto.TextInput(n.Text)}
}

func (h sessions) add(c echo.Context, event func(sessionNote) core.InputEvent) error {
	note, err := receiveNote(c)
	if err != nil {
		return err
	}
	ctx, id, input := c.Request().Context(), c.Param("id"), event(note)
	if err := h.stillThere(ctx, id, input); err != nil {
		return err
	}
	if _, err := h.AddInputs(ctx, id, note.Key, note.digest, []core.InputEvent{input}); err != nil {
		return problemOfAct(err)
	}
	view, err := h.Session(ctx, id)
	if err != nil {
		return err
	}
	answer := done{Session: id}
	if view.Last != nil {
		answer.Turn = view.Last.Seq
	}
	return writeJSON(c, http.StatusOK, answer)
}

// stillThere refuses to cancel a Turn that has ended.
func (h sessions) stillThere(ctx context.Context, id string, input core.InputEvent) error {
	if input.Kind != store.InputCancel {
		return nil
	}
	view, err := h.Session(ctx, id)
	if err != nil {
		return err
	}
	if view.Last == nil || view.Last.ID != input.TurnID || view.Active == nil && view.Last.Cancel.IsZero() {
		return refuse(CodeConflict, "the Turn has ended; there is nothing to cancel")
	}
	return nil
}

// receiveNote reads the body of an act, strictly.
func receiveNote(c echo.Context) (sessionNote, error) {
	var note sessionNote
	data, err := receive(c, jsonType, maxAct)
	if err != nil {
		return note, err
	}
	if err := core.Read(data, &note); err != nil {
		return note, problemOfAct(err)
	}
	if !isKey(note.Key) {
		return note, refuse(CodeBadRequest, "key: expected 8 to 128 letters, digits, - and _")
	}
	note.digest = sha256.Sum256(append([]byte(c.Path()+"\n"), data...))
	return note, nil
}

func isKey(s string) bool {
	ok, err := regexp.MatchString(`^[A-Za-z0-9_-]{8,128}$`, s)
	return ok && err == nil
}

// problemOfAct words why Core did not take an act.
func problemOfAct(err error) error {
	var invalid *core.InvalidError
	switch {
	case errors.As(err, &invalid):
		return &problem{Code: CodeBadRequest, Detail: invalid.Error(), cause: err}
	case errors.Is(err, store.ErrIdempotency):
		return &problem{Code: CodeConflict, Detail: "the key of this act was used for another one", cause: err}
	case errors.Is(err, store.ErrConflict):
		return &problem{Code: CodeConflict, Detail: "the call is not open any more", cause: err}
	case errors.Is(err, store.ErrTooMany):
		return &problem{Code: CodeConflict, Detail: "the Turn cannot take more", cause: err}
	}
	return err
}
