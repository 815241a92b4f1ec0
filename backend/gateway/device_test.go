package gateway_test

import (
	"encoding/base64"
	"testing"

	"parley/backend/gateway"
)

// behaviour 2.2: 32 random bytes in URL-safe base64 without padding; SHA-256 in lower-case hex is what is stored.
func TestCredentialIsNewEachTime(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 100 {
		secret, digest := gateway.NewCredential()
		raw, err := base64.RawURLEncoding.DecodeString(secret)
		if err != nil || len(raw) != 32 || seen[secret] || digest != gateway.Digest(secret) {
			t.Fatalf("got %q with digest %q (%v), want 32 new bytes and their digest", secret, digest, err)
		}
		seen[secret] = true
	}
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // of FIPS 180-2, appendix B.1
	if got := gateway.Digest("abc"); got != want {
		t.Errorf("digest of abc: got %s, want %s", got, want)
	}
}
