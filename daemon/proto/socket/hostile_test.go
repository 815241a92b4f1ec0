package socket_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/daemon/proto"
	"parley/daemon/proto/socket"
)

// realServer gives a way to open raw lines to an Establisher on a real socket.
func realServer(t *testing.T) (func() (net.Conn, error), <-chan *socket.Conn) {
	t.Helper()
	conns := make(chan *socket.Conn, 1)
	server := httptest.NewServer(upgrading(&socket.Establisher{}, conns))
	t.Cleanup(server.Close)
	return func() (net.Conn, error) { return net.Dial("tcp", server.Listener.Addr().String()) }, conns
}

// hostile-inputs W-1: too big ends with 1009, without a message and without memory. Not parallel: it measures.
func TestTooBig(t *testing.T) {
	part := bytes.Repeat([]byte("x"), (proto.MaxFrame+1)/40+1)
	var fragments []byte
	for left := proto.MaxFrame + 1; left > 0; {
		first, size := byte(continuation), min(left, len(part))
		if left == proto.MaxFrame+1 {
			first = text
		}
		if left -= size; left == 0 {
			first |= fin
		}
		fragments = append(fragments, frame(first, part[:size])...)
	}
	for name, tc := range map[string]struct {
		sent   []byte
		memory uint64
	}{
		"announced 4 MiB and 1":        {header(fin|text, proto.MaxFrame+1), 256 << 10},
		"announced 2^63-1":             {header(fin|text, math.MaxInt64), 256 << 10},
		"announced 2^64-1":             {header(fin|text, math.MaxUint64), 256 << 10},
		"a fragment and then 2^63-1":   {append(frame(text, []byte("x")), header(fin|continuation, math.MaxInt64)...), 256 << 10},
		"40 fragments of 4 MiB and 1":  {fragments, 3 * proto.MaxFrame},
		"4 MiB and 1 really came":      {frame(fin|text, make([]byte, proto.MaxFrame+1)), 256 << 10},
		"4 MiB of fragments, then end": {append(fragments[:len(fragments)-len(part)/2], frame(fin|continuation, part)...), 3 * proto.MaxFrame},
	} {
		t.Run(name, func(t *testing.T) {
			dial, conns := realServer(t)
			line, reader, _, far := byHand(t, dial, conns, "")
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			go func() { _, _ = line.Write(tc.sent) }() // fails when the server has enough
			_, err := far.Read()
			runtime.ReadMemStats(&after)
			if err == nil {
				t.Fatal("got a message, want an end")
			}
			if got := after.TotalAlloc - before.TotalAlloc; got > tc.memory {
				t.Errorf("got %d bytes allocated, want at most %d", got, tc.memory)
			}
			if got := closeCode(reader); got != proto.CloseTooBig {
				t.Errorf("got code %d, want 1009", got)
			}
			<-far.Done()
		})
	}
}

// wire 1.5: exactly 4 MiB passes, in one frame and in fragments, both ways.
func TestExactlyTheLimit(t *testing.T) {
	t.Parallel()
	near, far := sockets(t)
	want := bytes.Repeat([]byte("0123456789abcdef"), proto.MaxFrame/16)
	for name, way := range map[string][2]*socket.Conn{"to the server": {near, far}, "to the client": {far, near}} {
		sent := make(chan error, 1)
		go func() { sent <- way[0].Send(t.Context(), want) }()
		got, err := way[1].Read()
		if err != nil || !got.Text || !bytes.Equal(got.Data, want) {
			t.Fatalf("%s: got %d bytes, %v, want the message", name, len(got.Data), err)
		}
		if err := <-sent; err != nil {
			t.Errorf("%s: got %v, want written", name, err)
		}
	}
}

// hostile-inputs W-2: compression is never negotiated, and its bit is a protocol error.
func TestNoCompression(t *testing.T) {
	t.Parallel()
	dial, conns := realServer(t)
	line, reader, response, far := byHand(t, dial, conns, "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover\r\n")
	if got := response.Header.Get("Sec-WebSocket-Extensions"); got != "" {
		t.Errorf("got extensions %q, want none", got)
	}
	if _, err := line.Write(frame(fin|compressed|text, make([]byte, 1000))); err != nil {
		t.Fatal(err)
	}
	if message, err := far.Read(); err == nil {
		t.Errorf("got %d bytes, want an end", len(message.Data))
	}
	if got := closeCode(reader); got != proto.CloseProtocol {
		t.Errorf("got code %d, want 1002", got)
	}
}

// hostile-inputs W-2, the other way: a server that announces compression nobody offered is left.
func TestAnnouncedExtension(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		line, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer line.Close()
		_, _ = fmt.Fprintf(line, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n"+
			"Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover\r\n\r\n",
			acceptKey(r.Header.Get("Sec-WebSocket-Key")))
		_, _ = io.Copy(io.Discard, line)
	}))
	t.Cleanup(server.Close)
	if _, err := (&socket.Establisher{}).Dial(t.Context(), "ws"+server.URL[len("http"):], nil); !errors.Is(err, socket.ErrExtension) {
		t.Errorf("got %v, want %v", err, socket.ErrExtension)
	}
}

// hostile-inputs W-3: bytes without a message end the connection at 8 MiB, whatever frames carry them.
func TestMessageWithoutEnd(t *testing.T) {
	t.Parallel()
	for name, unit := range map[string][]byte{
		"empty continuations": header(continuation, 0),
		"pings":               frame(fin|ping, []byte("0123456789")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dial, conns := realServer(t)
			line, reader, _, far := byHand(t, dial, conns, "")
			go func() { _, _ = io.Copy(io.Discard, reader) }() // pongs
			written := make(chan int, 1)
			go func() {
				total, _ := line.Write(frame(text, []byte("{")))
				chunk := bytes.Repeat(unit, 10_000)
				for {
					n, err := line.Write(chunk)
					if total += n; err != nil {
						written <- total
						return
					}
				}
			}()
			_, err := far.Read()
			if err == nil || !strings.Contains(err.Error(), "finishes no message") {
				t.Fatalf("got %v, want an end for bytes without a message", err)
			}
			// What the kernel took on top was not read.
			if got := <-written; got < proto.MaxSilentBytes || got > 4*proto.MaxSilentBytes {
				t.Errorf("got %d bytes taken, want about %d", got, proto.MaxSilentBytes)
			}
		})
	}
}

// hostile-inputs W-3: a trickle is silence; only complete messages renew the 60 s.
func TestTrickleIsSilence(t *testing.T) {
	t.Parallel()
	for name, unit := range map[string][]byte{"bytes of a message": []byte("x"), "pings": frame(fin|ping, nil)} {
		synctest.Test(t, func(t *testing.T) {
			conns := make(chan *socket.Conn, 1)
			listener := inMemory(t, upgrading(&socket.Establisher{Silence: proto.Silence}, conns))
			dial := func() (net.Conn, error) { return listener.dial(t.Context(), "", "") }
			line, reader, _, far := byHand(t, dial, conns, "")
			go func() { _, _ = io.Copy(io.Discard, reader) }()
			began := time.Now()
			go func() {
				<-time.After(30 * time.Second)
				_, _ = line.Write(frame(fin|text, []byte("{}"))) // renews
				if name == "bytes of a message" {
					_, _ = line.Write(header(fin|text, 1000))
				}
				for {
					<-time.After(time.Second)
					if _, err := line.Write(unit); err != nil {
						return
					}
				}
			}()
			if _, err := far.Read(); err != nil {
				t.Fatalf("%s: got %v, want the message", name, err)
			}
			_, err := far.Read()
			if netErr, ok := errors.AsType[net.Error](err); !ok || !netErr.Timeout() {
				t.Errorf("%s: got %v, want a timeout", name, err)
			}
			if got := time.Since(began); got != 30*time.Second+proto.Silence {
				t.Errorf("%s: ended after %v, want 60 s after the last message", name, got)
			}
			_ = line.Close()
			<-time.After(2 * time.Second) // the trickle sees it
		})
	}
}
