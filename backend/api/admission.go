package api

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"time"

	"parley/backend/store"
)

// beta is the version of the API that a request must ask for, exactly once (behaviour 8.6).
const (
	betaHeader = "Openai-Beta" // as net/http spells OpenAI-Beta
	beta       = "agents=v1"
)

// keyNoted is how often the use of a key is written down.
const keyNoted = time.Minute

// admit asks for the version first and for the key after it (behaviour 8.6).
func (a *API) admit(c *call) error {
	if given := c.r.Header[betaHeader]; len(given) != 1 || given[0] != beta {
		return refuse(codeInvalidBeta, "expected the header OpenAI-Beta: "+beta+" exactly once")
	}
	token := bearer(c.r.Header)
	if token == "" {
		return refuse(codeInvalidKey, "expected the header Authorization: Bearer and an API key; parley core key create makes one")
	}
	digest := sha256.Sum256([]byte(token))
	if subtle.ConstantTimeCompare(digest[:], a.own[:]) == 1 {
		return nil
	}
	return a.admitKept(c, hex.EncodeToString(digest[:]))
}

// admitKept looks among the keys of the store.
func (a *API) admitKept(c *call, digest string) error {
	key, err := a.kept(c.context(), digest)
	if err != nil {
		return err
	}
	c.digest = digest
	now := a.now()
	if now.Sub(key.LastUsed) < keyNoted {
		return nil
	}
	if err := a.keys.TouchAPIKey(c.context(), key.ID, now); err != nil {
		a.log.Warn("use of an API key was not noted", "key", key.ID, "error", err) // no reason to refuse
	}
	return nil
}

func (a *API) kept(ctx context.Context, digest string) (store.APIKey, error) {
	key, err := a.keys.APIKeyByDigest(ctx, digest)
	if errors.Is(err, store.ErrNotFound) || err == nil && !key.Admits(digest) {
		err = refuse(codeInvalidKey, "the API key is not known here, or was revoked; parley core key create makes one")
	}
	return key, err
}

// stillAdmitted asks again for a key that may have been revoked meanwhile.
func (a *API) stillAdmitted(c *call) error {
	if c.digest == "" {
		return nil
	}
	_, err := a.kept(c.context(), c.digest)
	return err
}

// bearer takes the key from a request, "" where there is none or more than one header.
func bearer(header http.Header) string {
	values := header["Authorization"]
	if len(values) != 1 {
		return ""
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// idempotencyKey is the name of a request that may be sent again, "" for none.
func (c *call) idempotencyKey() (string, error) {
	values := c.r.Header["Idempotency-Key"]
	switch {
	case len(values) == 0:
		return "", nil
	case len(values) > 1 || values[0] == "" || len(values[0]) > store.MaxKey:
		return "", refuse(codeInvalidIdempotency, "expected one header Idempotency-Key of 1 to 128 bytes, or none")
	}
	return values[0], nil
}
