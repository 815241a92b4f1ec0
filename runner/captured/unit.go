package captured

import (
	"time"

	"go.yaml.in/yaml/v3"

	"parley/runner/grading"
)

// Unit is one admitted unit of work: what an attempt needs, and the two documents as identity encodes them.
type Unit struct {
	Eval, Task *yaml.Node // root mappings as authored; nothing is defaulted into them

	TaskName    string // free, "" when not authored
	Description string // the task's, "" when not authored
	Model       string // "" only when the profile needs none
	Prompt      string // "" is a prompt

	Checks grading.Checks // at least one

	TaskTimeout time.Duration // the task's own, else the eval's
}

func (a *admission) unit(eval, task *yaml.Node) *Unit {
	u := &Unit{
		Eval: eval, Task: task,
		TaskName:    textOf(value(task, "name")),
		Description: textOf(value(task, "description")),
		Model:       textOf(lookup(eval, "config", "model")),
		Prompt:      textOf(lookup(task, "inputs", "prompt")),
		Checks: grading.Checks{Graders: a.graders, Expectations: grading.Expectations{
			Contains:    textsOf(lookup(task, "expected", "output_contains")),
			NotContains: textsOf(lookup(task, "expected", "output_not_contains")),
			ContainsAny: textsOf(lookup(task, "expected", "output_contains_any")),
		}},
	}
	u.TaskTimeout = seconds(lookup(eval, "config", "timeout_seconds"))
	if own := seconds(value(task, "timeout_seconds")); own > 0 {
		u.TaskTimeout = own
	}
	return u
}

// seconds gives an authored number of seconds, 0 when there is none. runner.MaxCount seconds fit a duration.
func seconds(n *yaml.Node) time.Duration {
	count, _ := countOf(n)
	return time.Duration(count) * time.Second
}

// attemptsOf is the number of attempts that the eval allows: absent or 0 is one (runner 4.2).
func attemptsOf(eval *yaml.Node) int {
	declared, _ := countOf(lookup(eval, "config", "max_attempts"))
	return max(1, declared)
}
