package server_test

import (
	"testing"

	"parley/backend/server"
)

// The table of runner 7.3, with more spellings of the same kinds. Rows 10 and 12 differ from their neighbours by a
// forwarding header only, which is no part of a Caller; TestForwardedHeadersDecideNothing sends it.
func TestCallerIsLocalExactlyAsTheTableSays(t *testing.T) {
	t.Parallel()
	none := []string(nil)
	for _, tt := range []struct {
		row     string
		peer    string
		host    string
		origins []string
		sites   []string
		local   bool
	}{
		{"1", "127.0.0.1:5", "localhost:3000", none, none, true},
		{"2", "127.0.0.1:5", "127.0.0.1:3000", none, none, true},
		{"3", "[::1]:5", "[::1]:3000", none, none, true},
		{"4 the whole of 127/8", "127.44.0.9:5", "127.44.0.9:3000", none, none, true},
		{"5 no port", "127.0.0.1:5", "localhost", none, []string{"none"}, true},
		{"6", "127.0.0.1:5", "localhost:3000", []string{"http://localhost:3000"}, []string{"same-origin"}, true},
		{"7", "[::1]:5", "[::1]:3000", []string{"http://[::1]:3000"}, []string{"same-origin"}, true},
		{"8 case", "127.0.0.1:5", "LOCALHOST:3000", none, none, true},
		{"8 case, with origin", "127.0.0.1:5", "LOCALHOST:3000", []string{"http://localhost:3000"}, none, true},
		{"9 mapped peer", "[::ffff:127.0.0.1]:5", "127.0.0.1:3000", none, none, true},
		{"10", "127.0.0.1:5", "localhost:3000", none, none, true},
		{"11", "192.0.2.7:5", "localhost:3000", none, none, false},
		{"12", "192.0.2.7:5", "192.0.2.7:3000", none, none, false},
		{"13", "127.0.0.1:5", "runner.example:3000", none, none, false},
		{"14", "127.0.0.1:5", "loop.test:3000", none, none, false},
		{"15 trailing dot", "127.0.0.1:5", "localhost.:3000", none, none, false},
		{"16 unspecified", "127.0.0.1:5", "0.0.0.0:3000", none, none, false},
		{"17", "127.0.0.1:5", "localhost:3000", []string{"http://127.0.0.1:3000"}, none, false},
		{"18", "127.0.0.1:5", "localhost:3000", []string{"http://localhost:4000"}, []string{"same-site"}, false},
		{"19", "127.0.0.1:5", "localhost:3000", []string{"https://localhost:3000"}, none, false},
		{"20", "127.0.0.1:5", "localhost:3000", []string{"null"}, none, false},
		{"21", "127.0.0.1:5", "localhost:3000", []string{"http://evil.example"}, []string{"cross-site"}, false},
		{"22", "127.0.0.1:5", "localhost:3000", none, []string{"cross-site"}, false},
		{"23", "127.0.0.1:5", "localhost:3000", []string{"http://localhost:3000"}, []string{"same-site"}, false},
		{"24 two origins", "127.0.0.1:5", "localhost:3000", []string{"http://localhost:3000", "http://localhost:3000"}, none, false},
		{"25 empty host", "127.0.0.1:5", "", none, none, false},

		{"unknown fetch site", "127.0.0.1:5", "localhost:3000", none, []string{"same-planet"}, false},
		{"empty fetch site", "127.0.0.1:5", "localhost:3000", none, []string{""}, false},
		{"two fetch sites", "127.0.0.1:5", "localhost:3000", none, []string{"none", "none"}, false},
		{"empty origin", "127.0.0.1:5", "localhost:3000", []string{""}, none, false},
		{"origin with a path", "127.0.0.1:5", "localhost:3000", []string{"http://localhost:3000/"}, none, false},
		{"mapped host", "127.0.0.1:5", "[::ffff:127.0.0.1]:3000", none, none, true},
		{"IPv6 without brackets", "[::1]:5", "::1", none, none, false},
		{"IPv6 with zone", "[::1]:5", "[::1%25lo]:3000", none, none, false},
		{"IPv6 unspecified", "[::1]:5", "[::]:3000", none, none, false},
		{"bracket left open", "[::1]:5", "[::1", none, none, false},
		{"IPv4 in brackets", "127.0.0.1:5", "[127.0.0.1]:3000", none, none, false},
		{"port out of range", "127.0.0.1:5", "localhost:99999", none, none, false},
		{"port zero", "127.0.0.1:5", "localhost:0", none, none, false},
		{"port empty", "127.0.0.1:5", "localhost:", none, none, false},
		{"port with a sign", "127.0.0.1:5", "localhost:+80", none, none, false},
		{"port only", "127.0.0.1:5", ":3000", none, none, false},
		{"user information", "127.0.0.1:5", "user@localhost:3000", none, none, false},
		{"short IPv4", "127.0.0.1:5", "127.1:3000", none, none, false},
		{"IPv4 with a leading zero", "127.0.0.1:5", "127.0.0.01:3000", none, none, false},
		{"IPv4 as a number", "127.0.0.1:5", "2130706433:3000", none, none, false},
		{"name below localhost", "127.0.0.1:5", "app.localhost:3000", none, none, false},
		{"name that begins so", "127.0.0.1:5", "localhost.evil.example", none, none, false},
		{"peer that does not parse", "@", "localhost:3000", none, none, false},
		{"peer of the private network", "10.0.0.3:5", "localhost:3000", none, none, false},
		{"mapped peer of another machine", "[::ffff:192.0.2.7]:5", "localhost:3000", none, none, false},
	} {
		t.Run(tt.row, func(t *testing.T) {
			t.Parallel()
			err := server.Caller{Peer: tt.peer, Host: tt.host, Origins: tt.origins, FetchSites: tt.sites, Scheme: "http"}.Local()
			if (err == nil) != tt.local {
				t.Errorf("got %v, want local %t", err, tt.local)
			}
		})
	}
}
