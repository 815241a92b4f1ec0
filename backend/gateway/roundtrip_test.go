package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"parley/backend/gateway"
	"parley/daemon/proto"
)

// onTCP is a gateway on a real loopback socket.
func onTCP(t testing.TB) (*gateway.Gateway, string) {
	t.Helper()
	g, err := gateway.New(gateway.Config{Authority: authority(nil), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(acceptor(g))
	t.Cleanup(func() { g.Close(); server.Close() })
	return g, "ws" + strings.TrimPrefix(server.URL, "http") + "/?device=one"
}

func dialTCP(t testing.TB, url string) *websocket.Conn {
	t.Helper()
	ws, response, err := websocket.DefaultDialer.DialContext(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	t.Cleanup(func() { _ = ws.Close() })
	return ws
}

const refusal = `{"outcome":"rejected","error_code":"resource_unavailable"}`

// refuse answers every read with its rejection until the connection ends.
func refuse(ws *websocket.Conn) {
	for {
		_, data, err := ws.ReadMessage()
		if err != nil {
			return
		}
		f, err := proto.Decode(data)
		if err != nil {
			return
		}
		message := `{"type":"workspace_read_result","id":"` + f.ID + `","payload":` + refusal + `}`
		if ws.WriteMessage(websocket.TextMessage, []byte(message)) != nil {
			return
		}
	}
}

// Everything at once on real sockets while newer connections take over: each call ends, and each with what it may.
func TestCallsAgainstReplacement(t *testing.T) {
	t.Parallel()
	g, url := onTCP(t)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var work sync.WaitGroup
	var older *gateway.Connection
	for range 5 {
		ws := dialTCP(t, url)
		work.Go(func() { refuse(ws) })
		if older != nil {
			select {
			case <-older.Done(): // until then it is the one that is connected
			case <-ctx.Done():
				t.Fatal("an older connection was not replaced")
			}
		}
		c, err := g.WaitConnected(ctx, "one")
		if err != nil {
			t.Fatal(err)
		}
		older = c
		for i := range 3 {
			work.Go(func() { readOften(t, c, fmt.Sprint("read", i)) })
			work.Go(func() { subscribeOften(t, c, fmt.Sprint("run", i)) })
		}
	}
	g.Close()
	work.Wait()
}

func readOften(t *testing.T, c *gateway.Connection, id string) {
	var refused *gateway.RefusedError
	for range 200 {
		switch _, err := c.Read(t.Context(), id, byteRead()); {
		case errors.As(err, &refused), errors.Is(err, gateway.ErrUnconfirmed), errors.Is(err, gateway.ErrSessionClosed):
		default:
			t.Errorf("got %v, want a refusal or the end of the connection", err)
		}
	}
}

func subscribeOften(t *testing.T, c *gateway.Connection, run string) {
	for range 200 {
		s, err := c.SubscribeDurable(run)
		if errors.Is(err, gateway.ErrSessionClosed) {
			return
		}
		if err != nil {
			t.Errorf("got %v, want a subscription or the end of the connection", err)
			return
		}
		s.Unsubscribe()
		if left := drain(s.Events()); len(left) != 0 {
			t.Errorf("got %d frames, want none", len(left))
		}
	}
}

// BenchmarkRoundTrip is a request that the peer answers at once, and the same bytes over bare sockets (performance B2).
func BenchmarkRoundTrip(b *testing.B) {
	answer := []byte(`{"type":"workspace_read_result","id":"read","payload":` + refusal + `}`)
	b.Run("gateway", func(b *testing.B) {
		g, url := onTCP(b)
		ws := dialTCP(b, url)
		go echo(ws, answer)
		c, err := g.WaitConnected(b.Context(), "one")
		if err != nil {
			b.Fatal(err)
		}
		var refused *gateway.RefusedError
		b.ReportAllocs()
		for b.Loop() {
			if _, err := c.Read(b.Context(), "read", byteRead()); !errors.As(err, &refused) {
				b.Fatal(err)
			}
		}
	})
	b.Run("sockets", func(b *testing.B) {
		near, far := socketPair(b)
		go echo(far, answer)
		request, err := proto.Encode(proto.New("read", &proto.WorkspaceRead{Handle: "handle", EnvironmentID: "environment", Path: "a.txt", MaxBytes: 4}))
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			if err := near.WriteMessage(websocket.TextMessage, request); err != nil {
				b.Fatal(err)
			}
			if _, _, err := near.ReadMessage(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkRunFrame is one frame of a Run from the socket to its observer.
func BenchmarkRunFrame(b *testing.B) {
	g, url := onTCP(b)
	ws := dialTCP(b, url)
	c, err := g.WaitConnected(b.Context(), "one")
	if err != nil {
		b.Fatal(err)
	}
	run, err := c.SubscribeDurable("run")
	if err != nil {
		b.Fatal(err)
	}
	message, err := proto.Encode(proto.New("run", &proto.Delta{Delta: strings.Repeat("x", 300), Sequence: 1}))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := ws.WriteMessage(websocket.TextMessage, message); err != nil {
			b.Fatal(err)
		}
		<-run.Events()
	}
}

// echo answers every message with the same bytes.
func echo(ws *websocket.Conn, answer []byte) {
	for {
		if _, _, err := ws.ReadMessage(); err != nil {
			return
		}
		if ws.WriteMessage(websocket.TextMessage, answer) != nil {
			return
		}
	}
}

// socketPair is two bare ends of one WebSocket.
func socketPair(b *testing.B) (near, far *websocket.Conn) {
	b.Helper()
	accepted := make(chan *websocket.Conn, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		if err != nil {
			b.Error(err)
			return
		}
		accepted <- ws
	}))
	b.Cleanup(server.Close)
	near = dialTCP(b, "ws"+strings.TrimPrefix(server.URL, "http"))
	select {
	case far = <-accepted:
	case <-time.After(10 * time.Second):
		b.Fatal("got no connection within 10s")
	}
	b.Cleanup(func() { _ = far.Close() })
	return near, far
}
