package server_test

import (
	"net/netip"
	"strings"
	"testing"

	"parley/backend/server"
)

// runner 7.3: whatever Host holds, only localhost and literal loopback addresses pass.
func FuzzCallerHost(f *testing.F) {
	for _, host := range []string{"localhost:3000", "127.0.0.1", "[::1]:7", "[::ffff:127.0.0.1]", "localhost.", "a@localhost", "0x7f.1", ":", "[", "]:1"} {
		f.Add(host)
	}
	f.Fuzz(func(t *testing.T, host string) {
		if (server.Caller{Peer: "127.0.0.1:1", Host: host, Scheme: "http"}).Local() != nil {
			return
		}
		name := strings.ToLower(host)
		if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, ']') {
			name = name[:i]
		}
		addr, err := netip.ParseAddr(strings.Trim(name, "[]"))
		if name != "localhost" && (err != nil || !addr.Unmap().IsLoopback()) {
			t.Errorf("host %q passes as local", host)
		}
	})
}
