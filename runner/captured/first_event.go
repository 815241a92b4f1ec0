package captured

import (
	"go.yaml.in/yaml/v3"

	"parley/runner"
)

// firstEvent gives the first-event timeout in effect: the task's, 0 included, else the eval's (runner 4.5). Its node is
// nil when neither is authored; the value's document says where it stands.
func firstEvent(eval, task *yaml.Node) placed {
	if n := value(task, "first_event_timeout_seconds"); n != nil && !isNull(n) {
		return placed{n, runner.InTask, pathOf("first_event_timeout_seconds")}
	}
	return placed{lookup(eval, "config", "first_event_timeout_seconds"), runner.InEval, pathOf("config", "first_event_timeout_seconds")}
}

// placed is a node that can stand in either document.
type placed struct {
	*yaml.Node
	document string
	path     *path
}

// admitFirstEvent refuses an effective watchdog under a paid profile, because it could not end a call that does not
// cooperate (runner 6.1).
func (a *admission) admitFirstEvent(eval, task *yaml.Node) {
	effective := firstEvent(eval, task)
	if i, ok := countOf(effective.Node); !a.profile.Paid || !ok || i == 0 {
		return
	}
	found := a.eval
	if effective.document == runner.InTask {
		found = a.task
	}
	authored{effective.Node, effective.path, found}.refuseAs(runner.CodeCapturedUnsupported,
		"0 in effect", describe, "write 0 in the task to switch it off, and use timeout_seconds")
}
