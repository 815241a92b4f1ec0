package gateway_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"parley/backend/gateway"
	"parley/daemon/proto"
)

// behaviour 3.2
func TestKindsAreThoseOfTheLastHeartbeat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		woken := make(chan string, 10)
		r := newRig(t, func(c *gateway.Config) { c.OnHeartbeat = func(device string) { woken <- device } })
		p, c := r.dial("one")
		p.text(`{"type":"news","id":"run","payload":{"supported_agent_kinds":[]}}`)
		synctest.Wait()
		if kinds, known := c.Kinds(); known || kinds != nil {
			t.Errorf("got kinds %v before the first heartbeat, want them unknown", kinds)
		}
		p.beat("first")
		p.beat("second")
		synctest.Wait()
		kinds, known := c.Kinds()
		if !known || len(kinds) != 1 || kinds[0].Kind != "second" || !kinds[0].Capabilities.Has(proto.Preparation) {
			t.Errorf("got kinds %v, want the second alone", kinds)
		}
		kinds[0].Kind = "mine"
		if kinds, _ := c.Kinds(); kinds[0].Kind != "second" {
			t.Error("got the snapshot changed by a caller, want it kept")
		}
		p.send("", heartbeat("third", false))
		p.send("", &proto.Heartbeat{TS: 2})
		synctest.Wait()
		if kinds, known := c.Kinds(); !known || len(kinds) != 0 {
			t.Errorf("got kinds %v, want none and known", kinds)
		}
		if len(woken) != 2 {
			t.Errorf("got the worker woken %d times, want 2: only an available kind wakes it", len(woken))
		}
	})
}

// behaviour 3.2
func TestInvalidHeartbeatEndsTheConnection(t *testing.T) {
	t.Parallel()
	whole, err := proto.EncodePayload(heartbeat("kind", true))
	if err != nil {
		t.Fatal(err)
	}
	for name, payload := range map[string]string{
		"field missing":        strings.Replace(string(whole), `"preparation":true,`, ``, 1),
		"field null":           strings.Replace(string(whole), `"preparation":true`, `"preparation":null`, 1),
		"field no boolean":     strings.Replace(string(whole), `"preparation":true`, `"preparation":1`, 1),
		"field unknown":        strings.Replace(string(whole), `"preparation":true`, `"preparation":true,"magic":true`, 1),
		"capabilities missing": `{"ts":1,"supported_agent_kinds":[{"kind":"kind","available":true}]}`,
		"no object":            `7`,
	} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, nil)
			p, c := r.dial("one")
			run, err := c.SubscribeDurable("run")
			if err != nil {
				t.Fatal(err)
			}
			p.beat("kind")
			p.text(`{"type":"heartbeat","payload":` + payload + `}`)
			if got := p.closing(); got != proto.CloseProtocol {
				t.Errorf("got closing code %d, want 1002", got)
			}
			<-c.Done()
			if kinds, known := c.Kinds(); known {
				t.Errorf("got kinds %v, want them unknown again", kinds)
			}
			if f, open := <-run.Events(); open || !errors.Is(run.Err(), gateway.ErrSessionClosed) {
				t.Errorf("got %q and %v, want no frame and ErrSessionClosed: nothing is said about the Run", f.Type, run.Err())
			}
		})
	}
}

// wire 1.7: only a definite no retires a Runtime; the question does not hold up the reader.
func TestAuthorityIsAskedOnEachHeartbeat(t *testing.T) {
	t.Parallel()
	hang := func(ctx context.Context, _, _ string) (bool, error) {
		<-ctx.Done()
		return false, ctx.Err()
	}
	for name, tc := range map[string]struct {
		answer authority
		code   int // 0: kept
		log    string
	}{
		"granted": {func(context.Context, string, string) (bool, error) { return true, nil }, 0, ""},
		"no authority": {func(_ context.Context, device, digest string) (bool, error) {
			return device != "one" || digest != "digest", nil
		}, proto.CloseRetired, "no authority"},
		"storage error":           {func(context.Context, string, string) (bool, error) { return false, errors.New("disk") }, 0, "disk"},
		"storage that never ends": {hang, 0, "deadline"},
	} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, func(c *gateway.Config) { c.Authority = tc.answer })
			p, c := r.dial("one")
			p.beat("kind")
			synctest.Wait()
			if tc.code != 0 {
				if got := p.closing(); got != tc.code || r.gateway.Online("one") {
					t.Errorf("got closing code %d, want %d and the device offline", got, tc.code)
				}
				return
			}
			run, err := c.SubscribeDurable("run")
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			keptOn(t, p, run)
			if waited := time.Since(start); waited != 0 {
				t.Errorf("got the reader held up for %s, want not at all", waited)
			}
			elapse(proto.AuthorityTimeout + time.Second)
			if !r.gateway.Online("one") || !strings.Contains(r.log.String(), tc.log) {
				t.Errorf("got log %q, want the connection kept and %q logged", r.log.String(), tc.log)
			}
		})
	}
}

func TestOneAuthorityQuestionAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		answer := make(chan bool)
		r := newRig(t, func(c *gateway.Config) {
			c.Authority = authority(func(context.Context, string, string) (bool, error) {
				asked.Add(1)
				return <-answer, nil
			})
		})
		p, _ := r.dial("one")
		for range 5 {
			p.beat("kind")
		}
		synctest.Wait()
		if got := asked.Load(); got != 1 {
			t.Errorf("got %d questions at once, want 1", got)
		}
		answer <- true
		synctest.Wait()
		p.beat("kind")
		synctest.Wait()
		if got := asked.Load(); got != 2 {
			t.Errorf("got %d questions, want another one after the first was answered", got)
		}
		answer <- false
		if got := p.closing(); got != proto.CloseRetired {
			t.Errorf("got closing code %d, want 4001", got)
		}
		var closed *websocket.CloseError
		if !errors.As(p.end, &closed) || closed.Text != "runtime retired" {
			t.Errorf("got %v, want the reason runtime retired", p.end)
		}
	})
}
