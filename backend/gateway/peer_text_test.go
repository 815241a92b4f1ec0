package gateway_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"parley/daemon/proto"
)

// hostile-inputs 3: no text that a peer chose reaches Core's log, wherever in a message it stands.
func TestLogHasNoTextOfThePeer(t *testing.T) {
	t.Parallel()
	const canary = "canary"
	text := func(message string) func(p *peer) { return func(p *peer) { p.text(message) } }
	for name, tc := range map[string]struct {
		act  func(p *peer)
		want string // what is said of it
	}{
		"closing reason": {func(p *peer) {
			data := websocket.FormatCloseMessage(proto.CloseNormal, canary)
			_ = p.ws.WriteControl(websocket.CloseMessage, data, time.Now().Add(time.Second)) // what comes of it is looked at
		}, "code=1000"},
		"closing reason of a code of its own": {func(p *peer) {
			data := websocket.FormatCloseMessage(4999, canary)
			_ = p.ws.WriteControl(websocket.CloseMessage, data, time.Now().Add(time.Second))
		}, "code=4999"},
		"type":             {text(`{"type":"canary"}`), "type=unknown"},
		"type of a Run":    {text(`{"type":"canary","id":"run"}`), "type=unknown"},
		"id":               {text(`{"type":"delta","id":"canary"}`), "type=delta"},
		"id of a receipt":  {text(`{"type":"interaction_decision_ack","id":"canary","payload":{"delivery_id":"canary"}}`), "type=interaction_decision_ack"},
		"trace":            {text(`{"type":"delta","id":"x","trace":"canary"}`), "type=delta"},
		"heartbeat's id":   {text(`{"type":"heartbeat","id":"canary","payload":7}`), "invalid heartbeat"},
		"heartbeat's text": {text(`{"type":"heartbeat","payload":{"ts":"canary"}}`), "invalid heartbeat"},
		"capability":       {text(`{"type":"heartbeat","payload":{"supported_agent_kinds":[{"kind":"canary","capabilities":{"canary":true}}]}}`), "the 25 capabilities alone"},
		"member":           {text(`{"type":"heartbeat","payload":{"supported_agent_kinds":[{"canary":1,"kind":7}]}}`), "invalid heartbeat"},
		"kind twice": {func(p *peer) {
			k := heartbeat(canary, true)
			k.SupportedAgentKinds = append(k.SupportedAgentKinds, k.SupportedAgentKinds...)
			p.send("", k)
		}, "left_out=1"},
		"export piece": {text(`{"type":"workspace_export_result","id":"canary","payload":{"outcome":"canary"}}`), "type=workspace_export_result"},
		"no frame":     {text(canary), "no envelope"},
		"no WebSocket": {func(p *peer) { _, _ = p.raw.Write([]byte(canary)) }, "runtime disconnected"},
	} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, nil)
			p, _ := r.dial("one")
			tc.act(p)
			synctest.Wait()
			_ = p.ws.Close()
			synctest.Wait()
			if log := r.log.String(); strings.Contains(log, canary) || !strings.Contains(log, tc.want) {
				t.Errorf("got log %s, want %q in it and nothing of the peer's", log, tc.want)
			}
		})
	}
}
