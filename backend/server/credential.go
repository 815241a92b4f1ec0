package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxSpent bounds the remembered tokens. Each can be forgotten when its two minutes are over; more than this many links
// used in that time are refused, never accepted twice.
const maxSpent = 1024

// credential recognises who may use the lab: a browser by its session cookie, a program by the API key as bearer.
type credential struct {
	key    []byte
	start  string            // the id of this start of the lab
	apiKey [sha256.Size]byte // hashed, so that comparing takes the same time for every length
	cookie string            // its name
	now    func() time.Time

	mu    sync.Mutex
	spent map[nonce]time.Time // used open tokens and when they expire; under mu
}

// newCredential names the cookie after the port: browsers share cookies between the ports of a host.
func newCredential(key []byte, start, apiKey, port string, now func() time.Time) *credential {
	return &credential{key: key, start: start, apiKey: sha256.Sum256([]byte(apiKey)), cookie: "parley-" + port, now: now,
		spent: map[nonce]time.Time{}}
}

// admits looks for a credential in a request. A bearer that is there must be right, whatever the cookies say. One good
// cookie among several of the name is enough: programs on other ports of this host can set cookies for it, and a bad one
// of theirs must not lock the browser out.
func (c *credential) admits(r *http.Request) bool {
	if given := r.Header["Authorization"]; len(given) > 0 {
		return len(given) == 1 && c.isAPIKey(given[0])
	}
	return slices.ContainsFunc(r.CookiesNamed(c.cookie), func(cookie *http.Cookie) bool {
		_, _, err := verify(c.key, forSession, cookie.Value, c.now())
		return err == nil
	})
}

func (c *credential) isAPIKey(header string) bool {
	scheme, value, ok := strings.Cut(header, " ")
	given := sha256.Sum256([]byte(value))
	return ok && strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(given[:], c.apiKey[:]) == 1
}

// exchange takes an open token, once, for a session cookie.
func (c *credential) exchange(token string) (*http.Cookie, error) {
	now := c.now()
	used, expires, err := verify(c.key, opening(c.start), token, now)
	if err != nil {
		return nil, err
	}
	if !c.spend(used, expires, now) {
		return nil, errSeal
	}
	return &http.Cookie{
		Name: c.cookie, Value: mint(c.key, forSession, now.Add(sessionLife)), Path: "/",
		MaxAge: int(sessionLife / time.Second), HttpOnly: true, SameSite: http.SameSiteStrictMode,
	}, nil
}

// spend tells whether a token is used for the first time, and remembers that.
func (c *credential) spend(used nonce, expires, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.spent, func(_ nonce, until time.Time) bool { return !now.Before(until) })
	if _, again := c.spent[used]; again || len(c.spent) >= maxSpent {
		return false
	}
	c.spent[used] = expires
	return true
}
