package gateway

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"

	"parley/backend/store"
)

// Device is a machine that may connect as a Runtime, as the store keeps it.
type Device = store.Device

// secretBytes is the size of a credential before it is written as text (behaviour 2.2).
const secretBytes = 32

// NewCredential makes a random credential and its digest. The secret is shown once, to whoever asked for it; only the
// digest is stored (behaviour 2.2).
func NewCredential() (secret, digest string) {
	var b [secretBytes]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	secret = base64.RawURLEncoding.EncodeToString(b[:])
	return secret, Digest(secret)
}

// Digest is the SHA-256 of a credential in lower-case hex.
func Digest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
