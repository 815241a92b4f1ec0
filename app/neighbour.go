package app

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/netip"
	"time"

	"parley/backend/server"
)

// askPatience bounds the question who holds a port.
const askPatience = 500 * time.Millisecond

// isLab tells whether a Parley lab answers at the address. It sends no credential, and follows no redirect and no proxy:
// whatever listens there is not to be trusted.
func isLab(ctx context.Context, bind netip.AddrPort) bool {
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	question, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+bind.String()+"/healthz", nil)
	if err != nil {
		return false
	}
	answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(question)
	if err != nil {
		return false
	}
	defer answer.Body.Close() // a failure to close changes nothing
	var health struct {
		Program string `json:"program"`
	}
	err = json.NewDecoder(io.LimitReader(answer.Body, 4<<10)).Decode(&health)
	return err == nil && answer.StatusCode == http.StatusOK && health.Program == server.Program
}
