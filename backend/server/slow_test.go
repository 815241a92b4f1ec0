package server_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// hostile-inputs H-4, scaled: senders of nothing, of half a header, of half a body and of a TLS hello do not keep a
// normal client waiting, and are cut in time.
func TestSlowSendersDoNotStopOthers(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	const each = 60
	var slow []net.Conn
	for _, text := range []string{
		"GET /healthz HTTP/1.1\r\nHo",
		"POST /api/v1/runner/run HTTP/1.1\r\nHost: " + h.addr + "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
	} {
		for range each {
			c := h.dial()
			defer c.Close()
			io.WriteString(c, text)
			slow = append(slow, c)
		}
	}
	started := time.Now()
	for range 20 {
		if got := h.call("GET", "/healthz", ""); got.status != 200 {
			t.Fatalf("normal client: got %d, want 200", got.status)
		}
	}
	if took := time.Since(started); took > 3*time.Second {
		t.Errorf("20 normal requests took %s beside %d slow senders", took, len(slow))
	}
	for _, c := range slow {
		io.Copy(io.Discard, c) // ends with the connection
	}
	if took := time.Since(started); took > 15*time.Second {
		t.Errorf("the last slow sender was cut after %s, want about 10s for headers and 5s for bodies", took)
	}
}

// hostile-inputs H-4: connections that were used and stay open without asking for anything do not keep the next client
// waiting, however many there are.
func TestRestingConnectionsMakeRoom(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	for i := range 1200 { // more than there are places
		c := h.dial()
		defer c.Close()
		if i%4 == 0 {
			continue
		}
		c.SetDeadline(time.Now().Add(10 * time.Second))
		io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: "+h.addr+"\r\n\r\n")
		response, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("connection %d: got %v (%v), want 200", i, response, err)
		}
	}
	started := time.Now()
	if got := h.call("GET", "/healthz", ""); got.status != http.StatusOK {
		t.Errorf("next client: got %d, want 200", got.status)
	}
	if took := time.Since(started); took > 3*time.Second {
		t.Errorf("the next client waited %s", took)
	}
}
