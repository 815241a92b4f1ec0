package api

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"parley/backend/core"
	"parley/backend/store"
)

// Keys finds and notes API keys; the store does.
type Keys interface {
	APIKeyByDigest(ctx context.Context, digest string) (store.APIKey, error)
	TouchAPIKey(ctx context.Context, id string, at time.Time) error
}

var _ Keys = (*store.Store)(nil)

// Options are what an API needs. All but Now are required.
type Options struct {
	Core   *core.Service
	Keys   Keys
	APIKey string // the lab's own key, valid beside those of Keys
	Log    *slog.Logger
	Now    func() time.Time // nil: time.Now
}

// API answers the routes below /v1. Its exported methods are the handlers.
type API struct {
	core *core.Service
	keys Keys
	own  [sha256.Size]byte // digest of the lab's own key
	log  *slog.Logger
	now  func() time.Time
}

// New makes it.
func New(o Options) (*API, error) {
	if o.Core == nil || o.Keys == nil || o.APIKey == "" || o.Log == nil {
		return nil, errors.New("make public API: core, keys, API key and log are required")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &API{core: o.Core, keys: o.Keys, own: sha256.Sum256([]byte(o.APIKey)), log: o.Log, now: o.Now}, nil
}

// Version is what OpenAPI-Version says (behaviour 8.6).
const Version = "2020-10-01"

// call is one request on its way through a handler.
type call struct {
	w      http.ResponseWriter
	r      *http.Request
	digest string // of its key; "" for the lab's own
}

// do answers one request: the gates that every route has, then the route.
func (a *API) do(w http.ResponseWriter, r *http.Request, handle func(*call) error) {
	setHeaders(w.Header())
	c := &call{w: w, r: r}
	err := c.bound()
	if err == nil {
		err = a.admit(c)
	}
	if err == nil {
		err = handle(c)
	}
	if err != nil {
		a.fail(c, err)
	}
}

// setHeaders gives an answer what all answers of the API carry.
func setHeaders(h http.Header) {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails (crypto/rand)
	h.Set("X-Request-Id", "req_"+hex.EncodeToString(id[:]))
	h.Set("OpenAI-Version", Version)
	h.Set("Cache-Control", "no-store")
}

func (c *call) context() context.Context { return c.r.Context() }

// id is the part of the address with a name.
func (c *call) id(name string) string { return c.r.PathValue(name) }
