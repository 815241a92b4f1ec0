package server

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"time"
)

// What a sealed value is for. One purpose's value is worthless for the other.
const (
	forSession = "session"
	forOpen    = "open"
)

const (
	openLife    = 2 * time.Minute
	sessionLife = 30 * 24 * time.Hour
)

const (
	nonceBytes  = 16
	expiryBytes = 8
	sealedBytes = nonceBytes + expiryBytes + sha256.Size
)

var errSeal = errors.New("not a valid value of this lab")

// nonce makes a sealed value the only one of its kind.
type nonce [nonceBytes]byte

// mint gives nonce, expiry (UTC, milliseconds since 1970) and their HMAC-SHA256 under the session key as URL-safe text.
func mint(key []byte, purpose string, expires time.Time) string {
	var body [nonceBytes + expiryBytes]byte
	_, _ = rand.Read(body[:nonceBytes]) // never fails (crypto/rand)
	binary.BigEndian.PutUint64(body[nonceBytes:], uint64(expires.UnixMilli()))
	return base64.RawURLEncoding.EncodeToString(append(body[:], authenticate(key, purpose, body[:])...))
}

// verify gives nonce and expiry of a value that this key sealed for this purpose and whose time is not over.
func verify(key []byte, purpose, text string, now time.Time) (nonce, time.Time, error) {
	data, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(data) != sealedBytes {
		return nonce{}, time.Time{}, errSeal
	}
	body, mac := data[:nonceBytes+expiryBytes], data[nonceBytes+expiryBytes:]
	if !hmac.Equal(mac, authenticate(key, purpose, body)) {
		return nonce{}, time.Time{}, errSeal
	}
	expires := time.UnixMilli(int64(binary.BigEndian.Uint64(body[nonceBytes:])))
	if !now.Before(expires) {
		return nonce{}, time.Time{}, errSeal
	}
	return nonce(body[:nonceBytes]), expires, nil
}

// authenticate covers purpose|nonce|expiry; the parts behind the purpose have fixed sizes.
func authenticate(key []byte, purpose string, body []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(purpose + "|"))
	mac.Write(body)
	return mac.Sum(nil)
}

// OpenLink gives a link that opens the lab at base once within two minutes. Whoever can read the session key and the id
// of the lab's start can make one; nobody else can. Another start of the lab does not take it, as it knows nothing of
// what was used before.
func OpenLink(base string, sessionKey []byte, start string, now time.Time) string {
	return base + "/open?token=" + mint(sessionKey, opening(start), now.Add(openLife))
}

// opening is the purpose of the links of one start.
func opening(start string) string { return forOpen + "|" + start }
