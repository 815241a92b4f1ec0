package gateway_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/gorilla/websocket"

	"parley/backend/gateway"
	"parley/daemon/proto"
)

// wire 1.6, hostile-inputs J-2: dropped, logged without its content, and the connection goes on.
func TestUselessFramesAreDropped(t *testing.T) {
	t.Parallel()
	for name, message := range map[string]string{
		"no JSON":                   `secret`,
		"no object":                 `["secret"]`,
		"type of another kind":      `{"type":7,"id":"secret"}`,
		"two values":                `{"type":"delta","id":"run"} {"secret":1}`,
		"too deep":                  `{"type":"delta","id":"run","payload":` + strings.Repeat("[", 100_000) + `"secret"`,
		"too deep, unknown member":  `{"other":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `,"type":"delta"}`,
		"empty":                     ``,
		"a Run nobody observes":     `{"type":"delta","id":"other","payload":{"delta":"secret","sequence":1}}`,
		"a Run without id":          `{"type":"delta","payload":{"delta":"secret","sequence":1}}`,
		"no type":                   `{"id":"other","payload":{"delta":"secret"}}`,
		"unknown type":              `{"type":"news","id":"other","payload":{"secret":1}}`,
		"the other way":             `{"type":"prompt_cancel","id":"run","payload":{"delivery_id":"secret"}}`,
		"a status nobody observes":  `{"type":"preparation_status","id":"other","payload":{"handle":"secret","revision":1,"state":"ready"}}`,
		"a receipt nobody awaits":   `{"type":"interaction_decision_ack","id":"run","payload":{"delivery_id":"secret","applied":true}}`,
		"a receipt without id":      `{"type":"interaction_decision_ack","id":"run","payload":{"applied":true}}`,
		"an undecodable receipt":    `{"type":"interaction_decision_ack","id":"run","payload":{"delivery_id":["secret"]}}`,
		"an input nobody awaits":    `{"type":"prompt_steer_ack","id":"run","payload":{"input_id":"secret","accepted":true}}`,
		"an undecodable input":      `{"type":"prompt_steer_ack","id":"run","payload":{"input_id":["secret"]}}`,
		"a read nobody waits for":   `{"type":"workspace_read_result","id":"other","payload":{"outcome":"rejected","error_code":"secret"}}`,
		"a write nobody waits for":  `{"type":"workspace_write_result","id":"other","payload":{"outcome":"secret"}}`,
		"a step nobody waits for":   `{"type":"runtime_prepare_result","id":"other","payload":{"outcome":"secret"}}`,
		"a piece nobody waits for":  `{"type":"workspace_export_result","id":"other","payload":{"outcome":"secret"}}`,
		"a resumed nobody asked of": `{"type":"environment_resumed","id":"other","payload":{"suspend_id":"secret"}}`,
	} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, nil)
			p, c := r.dial("one")
			run, err := c.SubscribeDurable("run")
			if err != nil {
				t.Fatal(err)
			}
			p.text(message)
			synctest.Wait()
			if log := r.log.String(); !strings.Contains(log, "frame dropped") || strings.Contains(log, "secret") {
				t.Errorf("got log %q, want the drop and nothing of what was in it", log)
			}
			keptOn(t, p, run)
		})
	}
}

// keptOn checks that the connection lives and that the Run has seen nothing yet.
func keptOn(t *testing.T, p *peer, run *gateway.Subscription) {
	t.Helper()
	p.send("run", &proto.Done{Content: "end"})
	synctest.Wait()
	f, open := <-run.Events()
	if !open || f.Type != proto.TypeDone {
		t.Fatalf("got %q (open %v, %v), want done alone", f.Type, open, run.Err())
	}
}

func TestBinaryMessageIsDropped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		p, c := r.dial("one")
		run, err := c.SubscribeDurable("run")
		if err != nil {
			t.Fatal(err)
		}
		if err := p.ws.WriteMessage(websocket.BinaryMessage, []byte(`{"type":"done","id":"run"}`)); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if log := r.log.String(); !strings.Contains(log, "binary message") {
			t.Errorf("got log %q, want the drop", log)
		}
		keptOn(t, p, run)
	})
}

// A peer cannot fill the log: what is dropped after a few lines is counted.
func TestDropsAreLoggedAFewTimesAndCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		p, _ := r.dial("one")
		for range 100 {
			p.text(`{"type":"` + strings.Repeat("x", 1000) + `"}`)
		}
		_ = p.ws.Close()
		synctest.Wait()
		log := r.log.String()
		if n := strings.Count(log, "frame dropped"); n != 10 || !strings.Contains(log, "dropped=100") || len(log) > 8<<10 {
			t.Errorf("got %d lines of drops in %d bytes of log, want 10 and the count of 100", n, len(log))
		}
	})
}

// wire 1.1, 1.3: a frame to send gets a trace, and keeps the one it has.
func TestSendStampsATrace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		p, c := r.dial("one")
		own := proto.New("run", &proto.PromptCancel{DeliveryID: "cancel:run"})
		own.Trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
		seen := map[string]bool{}
		for _, f := range []proto.Frame{proto.New("run", &proto.PromptCancel{}), proto.New("run", &proto.PromptCancel{}), own} {
			if err := c.Send(t.Context(), f); err != nil {
				t.Fatal(err)
			}
			got := p.next()
			if len(got.Trace) != len(own.Trace) || !strings.HasPrefix(got.Trace, "00-") || seen[got.Trace] {
				t.Errorf("got trace %q, want a new traceparent", got.Trace)
			}
			seen[got.Trace] = true
		}
		if !seen[own.Trace] {
			t.Error("got the frame's own trace replaced, want it kept")
		}
	})
}

// wire 1.5: what a peer could not take is not sent.
func TestSendRefusesWhatCannotBeSaid(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		p, c := r.dial("one")
		large := proto.New("run", &proto.PromptSteer{InputID: "1", Input: proto.TextInput(strings.Repeat("x", proto.MaxFrame))})
		if err := c.Send(t.Context(), large); err == nil {
			t.Error("got a frame over the limit sent, want an error")
		}
		p.silent()
	})
}
