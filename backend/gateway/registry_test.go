package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"parley/backend/gateway"
	"parley/daemon/proto"
)

// behaviour 3.4
func TestNewestConnectionWinsAndInheritsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		first, old := r.dial("one")
		first.beat("kind")
		run, err := old.SubscribeDurable("run")
		if err != nil {
			t.Fatal(err)
		}
		second, young := r.dial("one")
		synctest.Wait()

		if got := first.closing(); got != websocket.CloseNormalClosure {
			t.Errorf("got closing code %d for the earlier connection, want 1000", got)
		}
		if want := `cause="replaced by a newer connection" code=1000`; !strings.Contains(r.log.String(), want) {
			t.Errorf("got log %s, want %s in it", r.log, want)
		}
		if _, open := <-run.Events(); open || !errors.Is(run.Err(), gateway.ErrSessionClosed) {
			t.Errorf("got subscription ended by %v, want ErrSessionClosed and no frame", run.Err())
		}
		if c, online := r.gateway.Connection("one"); !online || c != young || young == old {
			t.Error("got another connection registered, want the newest")
		}
		if _, known := young.Kinds(); known {
			t.Error("got kinds of the earlier connection, want none known")
		}
		second.send("run", &proto.Delta{Delta: "late"})
		second.send("run", &proto.Done{})
		synctest.Wait()
		if _, err := young.SubscribeDurable("run"); err != nil {
			t.Errorf("got %v, want the Run free on the new connection", err)
		}
		second.silent() // nothing is replayed
	})
}

// behaviour 3.4: the routes are dropped in the same step, also while the earlier connection's peer reads nothing.
func TestReplacementDoesNotWaitForASilentPeer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		dialSilent(t, "ws://lab/?device=one", r.network.dial)
		synctest.Wait()
		old, _ := r.gateway.Connection("one")
		if err := old.Send(t.Context(), proto.New("run", &proto.PromptCancel{})); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		p, young := r.dial("one")
		p.beat("kind")
		synctest.Wait()
		if _, known := young.Kinds(); !known || time.Since(start) != 0 {
			t.Errorf("got kinds known %v after %s, want the new connection served at once", known, time.Since(start))
		}
		if _, err := old.SubscribeDurable("run"); !errors.Is(err, gateway.ErrSessionClosed) {
			t.Errorf("got %v from the earlier connection, want ErrSessionClosed", err)
		}
		<-old.Done()
		if took := time.Since(start); took > proto.CloseTimeout {
			t.Errorf("got closing in %s, want at most %s", took, proto.CloseTimeout)
		}
		if !r.gateway.Online("one") {
			t.Error("got offline after the earlier connection ended, want the newer one kept")
		}
	})
}

// behaviour 3.4
func TestWaitConnectedIsWokenByRegistration(t *testing.T) {
	t.Parallel()
	type result struct {
		c   *gateway.Connection
		err error
	}
	wait := func(ctx context.Context, r *rig) chan result {
		got := make(chan result, 1)
		go func() {
			c, err := r.gateway.WaitConnected(ctx, "one")
			got <- result{c, err}
		}()
		synctest.Wait()
		return got
	}
	bubble(t, "registration", func(t *testing.T) {
		r := newRig(t, nil)
		got := wait(t.Context(), r)
		r.dial("two")
		if len(got) != 0 {
			t.Fatal("got an answer for another device, want none")
		}
		_, c := r.dial("one")
		if g := <-got; g.err != nil || g.c != c {
			t.Errorf("got %v, want the new connection", g.err)
		}
		if again, err := r.gateway.WaitConnected(t.Context(), "one"); err != nil || again != c {
			t.Errorf("got %v, want the standing connection at once", err)
		}
	})
	bubble(t, "caller gives up", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		got := wait(ctx, newRig(t, nil))
		cancel()
		if g := <-got; !errors.Is(g.err, context.Canceled) {
			t.Errorf("got %v, want canceled", g.err)
		}
	})
	bubble(t, "gateway closes", func(t *testing.T) {
		r := newRig(t, nil)
		got := wait(t.Context(), r)
		r.gateway.Close()
		if g := <-got; !errors.Is(g.err, gateway.ErrSessionClosed) {
			t.Errorf("got %v, want ErrSessionClosed", g.err)
		}
	})
}

// wire 1.7: 1001 is a clean close, after which a Runtime dials again.
func TestCloseEndsEveryConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		one, c := r.dial("one")
		two, _ := r.dial("two")
		dialSilent(t, "ws://lab/?device=three", r.network.dial)
		synctest.Wait()
		start := time.Now()
		r.gateway.Close()
		if took := time.Since(start); took > proto.CloseTimeout {
			t.Errorf("got closed in %s, want at most %s", took, proto.CloseTimeout)
		}
		for _, p := range []*peer{one, two} {
			if got := p.closing(); got != websocket.CloseGoingAway {
				t.Errorf("got closing code %d, want 1001", got)
			}
		}
		for _, device := range []string{"one", "two", "three"} {
			if r.gateway.Online(device) {
				t.Errorf("got %q online, want it gone", device)
			}
		}
		if err := c.Send(t.Context(), proto.New("run", &proto.PromptCancel{})); !errors.Is(err, gateway.ErrSessionClosed) {
			t.Errorf("got %v from Send, want ErrSessionClosed", err)
		}
		r.gateway.Close() // again changes nothing
		d := websocket.Dialer{NetDialContext: r.network.dial}
		_, response, err := d.DialContext(t.Context(), "ws://lab/?device=one", nil)
		if err == nil || response == nil {
			t.Fatalf("got %v, want a refusal", err)
		}
		refusedWith(t, response, http.StatusServiceUnavailable, "stopping")
	})
}

// behaviour 2: what is no handshake is refused in the words of the route, and registers nothing.
func TestRequestThatIsNoUpgradeRegistersNothing(t *testing.T) {
	t.Parallel()
	handshake := map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
		"Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="}
	for name, change := range map[string]map[string]string{
		"no headers":         {"Connection": "", "Upgrade": "", "Sec-WebSocket-Version": "", "Sec-WebSocket-Key": ""},
		"another protocol":   {"Upgrade": "h2c"},
		"connection is kept": {"Connection": "keep-alive"},
		"another version":    {"Sec-WebSocket-Version": "8"},
		"no key":             {"Sec-WebSocket-Key": ""},
		"a short key":        {"Sec-WebSocket-Key": "AAAA"},
	} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, nil)
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://lab/?device=one", nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, headers := range []map[string]string{handshake, change} {
				for header, value := range headers {
					request.Header.Set(header, value)
				}
			}
			client := &http.Client{Transport: &http.Transport{DialContext: r.network.dial, DisableKeepAlives: true}}
			response, err := client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			refusedWith(t, response, http.StatusBadRequest, "bad_upgrade")
			if got := response.Header.Get("Sec-WebSocket-Version"); got != "13" || r.gateway.Online("one") {
				t.Errorf("got version %q and online %v, want 13 and nothing registered", got, r.gateway.Online("one"))
			}
		})
	}
}

// refusedWith reads a body that must have exactly the two members of behaviour 2.
func refusedWith(t *testing.T, response *http.Response, status int, code string) {
	t.Helper()
	defer response.Body.Close()
	var body struct{ Error, Detail string }
	decoder := json.NewDecoder(response.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&body); err != nil || response.StatusCode != status || body.Error != code || body.Detail == "" ||
		response.Header.Get("Content-Type") != "application/json" {
		t.Errorf("got %d %s %+v (%v), want %d and JSON with %s and a detail", response.StatusCode, response.Header.Get("Content-Type"),
			body, err, status, code)
	}
}

func TestGatewayNeedsItsParts(t *testing.T) {
	t.Parallel()
	if _, err := gateway.New(gateway.Config{}); err == nil {
		t.Error("got a gateway of nothing, want an error")
	}
}

// When the device was last heard is told once, after the end.
func TestEndOfConnectionIsNoted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		seen := make(chan time.Time, 2)
		r := newRig(t, func(c *gateway.Config) {
			c.Seen = func(_ context.Context, device string, at time.Time) error {
				if device != "one" {
					t.Errorf("got %q seen, want one", device)
				}
				seen <- at
				return nil
			}
		})
		p, _ := r.dial("one")
		p.beat("kind")
		synctest.Wait()
		last := time.Now()
		elapse(10 * time.Second)
		_ = p.ws.Close()
		synctest.Wait()
		if at := <-seen; !at.Equal(last) || len(seen) != 0 {
			t.Errorf("got seen at %s and %d more, want %s once", at, len(seen), last)
		}
	})
}
