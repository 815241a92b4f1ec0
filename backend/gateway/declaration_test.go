package gateway_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"parley/backend/gateway"
	"parley/daemon/proto"
)

// wire 3.1: the contract bounds no declaration, so a large one is valid; Core keeps what fits.
func TestHeartbeatIsKeptWithinBounds(t *testing.T) {
	t.Parallel()
	fits, over := strings.Repeat("n", gateway.MaxLabel), strings.Repeat("n", gateway.MaxLabel+1)
	kind := func(name, version string, available bool) proto.AgentKind {
		k := heartbeat(name, available).SupportedAgentKinds[0]
		k.Version = version
		return k
	}
	var many, first []proto.AgentKind
	for i := range 5000 {
		many = append(many, kind(fmt.Sprint("kind", i%2500), "1", true))
	}
	first = many[:gateway.MaxKinds]
	for name, tc := range map[string]struct {
		beat  proto.Heartbeat
		kinds []proto.AgentKind
		build string
		runs  int
		log   string // "": nothing was left out
	}{
		"as large as may be": {proto.Heartbeat{DaemonVersion: fits, ActiveRequests: 3, SupportedAgentKinds: []proto.AgentKind{kind(fits, fits, true)}},
			[]proto.AgentKind{kind(fits, fits, true)}, fits, 3, ""},
		"a version of 4 MiB": {proto.Heartbeat{DaemonVersion: nearly()}, nil, "", 0, ""},
		"a program's version too long": {proto.Heartbeat{SupportedAgentKinds: []proto.AgentKind{kind("kind", over, true)}},
			[]proto.AgentKind{kind("kind", "", true)}, "", 0, ""},
		"a name too long": {proto.Heartbeat{SupportedAgentKinds: []proto.AgentKind{kind(over, "1", true), kind("kind", "1", true)}},
			[]proto.AgentKind{kind("kind", "1", true)}, "", 0, "left_out=1"},
		"a name twice": {proto.Heartbeat{SupportedAgentKinds: []proto.AgentKind{kind("kind", "1", false), kind("kind", "2", true)}},
			[]proto.AgentKind{kind("kind", "1", false)}, "", 0, "left_out=1"},
		"5000 kinds":    {proto.Heartbeat{SupportedAgentKinds: many}, first, "", 0, "left_out=4936"},
		"negative Runs": {proto.Heartbeat{ActiveRequests: -7}, nil, "", 0, ""},
	} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, nil)
			p, c := r.dial("one")
			p.send("", &tc.beat)
			p.send("", &tc.beat)
			synctest.Wait()
			kinds, known := c.Kinds()
			if !known || fmt.Sprint(kinds) != fmt.Sprint(tc.kinds) {
				t.Errorf("got %.200v (known %v), want %.200v", kinds, known, tc.kinds)
			}
			if s := c.Stats(); s.Build != tc.build || s.Active != tc.runs || s.Heartbeat.IsZero() {
				t.Errorf("got build of %d bytes, %d Runs, want %d bytes and %d", len(s.Build), s.Active, len(tc.build), tc.runs)
			}
			log := r.log.String()
			if lines := strings.Count(log, "left_out="); lines > 1 || (lines == 0) != (tc.log == "") || !strings.Contains(log, tc.log) {
				t.Errorf("got log %q, want %q in it once", log, tc.log)
			}
		})
	}
}
