package gateway

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"parley/daemon/proto"
)

type granted struct{}

func (granted) Authority(context.Context, string, string) (bool, error) { return true, nil }

// behaviour 4.3: each step ends its own family and no later one. The steps are taken one by one and looked at between.
func TestConnectionClosesInOrder(t *testing.T) {
	t.Parallel()
	g, err := New(Config{Authority: granted{}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { g.Accept(w, r, Device{ID: "one"}) }))
	defer server.Close()
	defer g.Close()
	ws, response, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(server.URL, "http"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	defer ws.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	c, err := g.WaitConnected(ctx, "one")
	if err != nil {
		t.Fatal(err)
	}
	c.ending.Store(true) // the test closes it
	ended := occupy(t, c)
	order := []string{"mark", "socket", "runs", "registration", "preparations", "reads", "suspensions", "writes", "initializations", "exports"}
	var got []string
	for i, step := range c.closing(proto.CloseNormal, "") {
		got = append(got, step.name)
		step.do()
		for j, name := range order {
			if is := ended[name](); is != (j <= i) {
				t.Errorf("after %q got %q ended: %v, want %v", step.name, name, is, j <= i)
			}
		}
	}
	if !slices.Equal(got, order) {
		t.Errorf("got order %v, want %v", got, order)
	}
	close(c.done)
}

// occupy puts one of everything on a connection and says how to see that it has ended.
func occupy(t *testing.T, c *Connection) map[string]func() bool {
	t.Helper()
	run, err := c.SubscribeDurable("run")
	if err != nil {
		t.Fatal(err)
	}
	preparation, err := c.SubscribePreparation("prepare")
	if err != nil {
		t.Fatal(err)
	}
	pendingOf := func(p *pending) func() bool {
		x, err := p.add("id", 1)
		if err != nil {
			t.Fatal(err)
		}
		return func() bool { return isClosed(x.done) }
	}
	decision, input := pendingOf(&c.decisions), pendingOf(&c.inputs)
	return map[string]func() bool{
		"mark":            func() bool { return c.ctx.Err() != nil },
		"socket":          func() bool { return isClosed(c.conn.Done()) },
		"runs":            func() bool { return isClosed(run.events) && decision() && input() },
		"registration":    func() bool { return !c.gateway.Online("one") },
		"preparations":    func() bool { return isClosed(preparation.statuses) },
		"reads":           pendingOf(&c.reads),
		"suspensions":     pendingOf(&c.suspensions),
		"writes":          pendingOf(&c.writes),
		"initializations": pendingOf(&c.initializations),
		"exports":         pendingOf(&c.exports),
	}
}

func isClosed[T any](c <-chan T) bool {
	select {
	case _, open := <-c:
		return !open
	default:
		return false
	}
}
