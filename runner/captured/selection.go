package captured

import (
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"

	"parley/runner"
)

// admitRequest applies the rules that need no captured text: consent, and one shard on both sides (runner 1.4 step 7).
func (a *admission) admitRequest() {
	if a.profile.Paid && !a.req.AllowPaidExecution {
		a.refuseRequest(runner.CodePaidConsentRequired, "/allow_paid_execution",
			"true, because "+a.profile.Capability+" may be charged", "false", "set it to true only if this run may cost money")
	}
	if a.req.Input.Shard != a.req.Selection.Shard {
		a.refuseRequest(runner.CodeSelectionConflict, "/selection/shard", "the shard of the input, "+quoteKey(a.req.Input.Shard),
			quoteKey(a.req.Selection.Shard), "both must name the same shard")
	}
}

// admitTrial wants the selected trial and attempt to be declared by the eval.
func (a *admission) admitTrial(eval *yaml.Node) {
	trials := lookup(eval, "config", "trials_per_task")
	if declared, ok := countOf(trials); ok && declared > 0 && a.req.Selection.Trial > declared {
		a.outOfRange("/selection/trial", a.req.Selection.Trial, declared, declaredAt("config.trials_per_task", trials))
	}
	attempts := lookup(eval, "config", "max_attempts")
	_, ok := countOf(attempts)
	if allowed := attemptsOf(eval); (ok || attempts == nil) && a.req.Selection.Attempt > allowed {
		a.outOfRange("/selection/attempt", a.req.Selection.Attempt, allowed, declaredAt("config.max_attempts", attempts))
	}
}

func (a *admission) outOfRange(path string, selected, declared int, where string) {
	a.refuseRequest(runner.CodeSelectionOutOfRange, path,
		"an ordinal from 1 to "+strconv.Itoa(declared), strconv.Itoa(selected), where)
}

func declaredAt(path string, n *yaml.Node) string {
	if n == nil {
		return path + " is not declared in the eval, which allows one attempt"
	}
	return fmt.Sprintf("%s is declared on line %d of the eval", path, n.Line)
}

// admitTask wants the captured task to be the selected one, byte for byte.
func (a *admission) admitTask(task *yaml.Node) {
	id := value(task, "id")
	if id == nil || !isString(id) || id.Value == a.req.Selection.Task {
		return
	}
	a.refuseRequest(runner.CodeSelectionConflict, "/selection/task",
		"the id of the captured task", quoteKey(a.req.Selection.Task),
		fmt.Sprintf("the id stands on line %d of the task; both must be the same byte for byte", id.Line))
}

func (a *admission) refuseRequest(code runner.Code, path, expected, found, hint string) {
	a.request.add(runner.Finding{Code: code, Path: path, Expected: expected, Found: found, Hint: hint})
}

// quoteKey shows a key of the request; its pattern bounds it to 128 harmless characters (runner 2.3).
func quoteKey(key string) string { return strconv.Quote(cut(key, maxShownName)) }
