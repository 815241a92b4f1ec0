package gateway_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"parley/backend/gateway"
	"parley/daemon/proto"
)

// wire 3.8.2: initialize and finalize have no bytes.
func TestInitializationWithoutBytes(t *testing.T) {
	t.Parallel()
	finalize := proto.RuntimePrepare{BudgetMS: 1000, EnvironmentID: uuid, SessionID: another, Action: proto.ActionFinalize,
		Sources: &proto.Sources{Skills: []proto.Capsule{}, Plugins: []proto.Capsule{}, Directories: []string{}}}
	setup := proto.RuntimePrepare{BudgetMS: 1000, EnvironmentID: uuid, SessionID: another, Action: proto.ActionInitialize,
		Initialization: &proto.Initialization{Action: proto.InitSetup, Command: "true"}}
	for name, begin := range map[string]proto.RuntimePrepare{"finalize": finalize, "initialize": setup} {
		bubble(t, name, func(t *testing.T) {
			p, c := newRig(t, nil).dial("one")
			got := beside(func() (proto.RuntimePrepareResult, error) { return c.RunPreparation(t.Context(), uuid, begin, nil) })
			f := families()[1]
			for _, want := range []string{"begin", "commit"} {
				if step, _, size, digest, _ := f.step(p.next()); step != want || size != 0 || digest != "" {
					t.Fatalf("got step %q with size %d and digest %q, want %s without", step, size, digest, want)
				}
				p.result(f, uuid, map[string]string{"begin": `{"outcome":"ready"}`, "commit": `{"outcome":"completed"}`}[want])
			}
			if g := <-got; g.err != nil || g.result.Outcome != proto.OutcomeCompleted {
				t.Errorf("got %+v, %v, want it completed", g.result, g.err)
			}
			if _, err := c.RunPreparation(t.Context(), uuid, begin, strings.NewReader("")); err == nil {
				t.Error("got a body taken, want an error")
			}
		})
	}
	// behaviour 4.2: the wait is what is left of the original deadline.
	bubble(t, "the budget is the wait", func(t *testing.T) {
		_, c := newRig(t, nil).dial("one")
		start := time.Now()
		_, err := c.RunPreparation(t.Context(), uuid, finalize, nil)
		endedWith(t, err, gateway.ErrUnconfirmed)
		if waited := time.Since(start); waited != time.Second {
			t.Errorf("got an end after %s, want the budget of 1s", waited)
		}
	})
	bubble(t, "no budget", func(t *testing.T) {
		p, c := newRig(t, nil).dial("one")
		begin := finalize
		begin.BudgetMS = 0
		if _, err := c.RunPreparation(t.Context(), uuid, begin, nil); err == nil || errors.Is(err, gateway.ErrUnconfirmed) {
			t.Errorf("got %v, want a definite error", err)
		}
		p.silent()
	})
}
