package captured

import (
	"cmp"
	"slices"

	"go.yaml.in/yaml/v3"

	"parley/runner"
	"parley/runner/grading"
)

// admission is the work of one Admit.
type admission struct {
	req     *runner.Request
	profile runner.Profile

	request, eval, task *faults

	graders []*grading.Text // admitted, eval's first
	names   map[string]spot // of graders, to where the first stands
	classes int             // large character classes in all patterns so far
}

// Admit reads both captured texts of a complete request for a profile. It gives a unit and no finding, or no unit and
// all findings: those about the request first, then the eval's and the task's in the order of their text, each document
// bounded by runner.MaxFindings and a remainder. A text that the reader refuses has the reader's findings only.
func Admit(req *runner.Request, p runner.Profile) (*Unit, []runner.Finding) {
	a := &admission{req: req, profile: p, request: &faults{document: runner.InRequest}, names: map[string]spot{}}
	a.admitRequest()
	eval := a.admitEval()
	task := a.admitCapturedTask()
	if eval != nil && task != nil {
		a.admitTogether(eval, task)
	}
	if a.request.any() || a.eval.any() || a.task.any() {
		return nil, slices.Concat(a.request.all(), a.eval.all(), a.task.all())
	}
	return a.unit(eval, task), nil
}

// admitEval gives the eval's root, nil when the reader refused it.
func (a *admission) admitEval() (root *yaml.Node) {
	root, a.eval = read(runner.InEval, a.req.Input.Eval)
	if root == nil {
		return nil
	}
	check(authored{root, nil, a.eval}, a.evalFields(), runner.CodeCapturedYAMLInvalid)
	admitSuite(root, a.eval)
	a.admitTrial(root)
	return root
}

// admitCapturedTask gives the task's root, nil when the reader refused it.
func (a *admission) admitCapturedTask() (root *yaml.Node) {
	root, a.task = read(runner.InTask, a.req.Input.Task)
	if root == nil {
		return nil
	}
	check(authored{root, nil, a.task}, a.taskFields(), runner.CodeCapturedYAMLInvalid)
	a.admitTask(root)
	return root
}

// admitTogether applies the rules that need both documents.
func (a *admission) admitTogether(eval, task *yaml.Node) {
	admitSkills(eval, task, a.eval)
	a.admitFirstEvent(eval, task)
	a.admitSomeCheck(eval, task)
}

// admitSomeCheck wants at least one text grader or expectation (runner 4.5). Those with a fault count here: they have
// findings of their own.
func (a *admission) admitSomeCheck(eval, task *yaml.Node) {
	expected := value(task, "expected")
	declared := size(value(eval, "graders")) + size(value(task, "graders"))
	for _, key := range []string{"output_contains", "output_not_contains", "output_contains_any"} {
		declared += size(value(expected, key))
	}
	if declared > 0 {
		return
	}
	authored{cmp.Or(expected, task), pathOf("expected"), a.task}.refuse(runner.CodeNoTextCheck,
		"a text grader or a text expectation", "none", "add expected.output_contains or a grader of type text")
}
