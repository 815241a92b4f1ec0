package gateway_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"parley/backend/gateway"
	"parley/daemon/proto"
)

// behaviour 3.2: nothing of a declaration is known before the first valid heartbeat; frames are counted as they come.
func TestConnectionCountsItsFrames(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		dialled := time.Now()
		p, c := r.dial("one")
		if got := c.Stats(); got != (gateway.Stats{Since: dialled}) {
			t.Errorf("got %+v at first, want the start alone", got)
		}
		elapse(time.Second)
		h := heartbeat("kind", true)
		h.DaemonVersion, h.ActiveRequests = "1.2.3", 4
		p.send("", h)
		p.text(`{"type":"news"}`)
		if err := c.Send(t.Context(), proto.New("r", &proto.EnvironmentResume{})); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		got, want := c.Stats(), gateway.Stats{Since: dialled, Heartbeat: dialled.Add(time.Second), Build: "1.2.3", Active: 4, In: 2, Out: 1, Dropped: 1}
		if !got.Heartbeat.Equal(want.Heartbeat) {
			t.Errorf("got the heartbeat at %s, want %s", got.Heartbeat, want.Heartbeat)
		}
		if got.Heartbeat = want.Heartbeat; got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	})
}

// behaviour 3.3: who closed a connection, and with what code, is told as it was seen; a peer's own text is not kept.
func TestLastEndTellsTheSide(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		end  func(p *peer)
		want gateway.End
	}{
		"the Runtime closes": {func(p *peer) {
			data := websocket.FormatCloseMessage(proto.CloseGoingAway, "its own words")
			_ = p.ws.WriteControl(websocket.CloseMessage, data, time.Now().Add(time.Second)) // what comes of it is looked at
		}, gateway.End{Code: proto.CloseGoingAway}},
		"Core closes": {func(p *peer) { p.text(`{"type":"heartbeat","payload":7}`) }, gateway.End{ByCore: true, Code: proto.CloseProtocol, Why: "invalid heartbeat"}},
	} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, nil)
			p, c := r.dial("one")
			if end, known := r.gateway.LastEnd("one"); known {
				t.Errorf("got the end %+v of a connection that is open, want none", end)
			}
			tt.end(p)
			<-c.Done()
			end, known := r.gateway.LastEnd("one")
			if !known || end.At.IsZero() {
				t.Errorf("got %+v, want an end with its time", end)
			}
			if end.At = (time.Time{}); end != tt.want {
				t.Errorf("got %+v, want %+v", end, tt.want)
			}
		})
	}
}
