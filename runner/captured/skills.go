package captured

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"parley/runner"
)

// Words that switch skills off (runner 4.2).
const (
	denyEverySkill = "*"    // as the only entry of config.disabled_skills
	noDirectory    = "none" // as the only entry of config.skill_directories
)

// directories is what a document says about skill directories.
type directories int

const (
	unsaid  directories = iota // absent or null; for an eval also []
	emptied                    // an explicit [], which counts in a task
	paths                      // authored paths
	denied                     // the sentinel [none], which counts in an eval
)

// skills are the facts that decide whether skills take effect.
type skills struct {
	scenario, skill bool
	eval, task      directories
	denyAll         bool
}

// disabled is the table of runner 4.4. Without a scenario a task's [] inherits, as legacy suites do.
func (s skills) disabled() bool {
	switch {
	case s.denyAll, s.eval == denied:
		return true
	case !s.scenario:
		return false
	case s.task == emptied:
		return true
	}
	return !s.skill && s.eval != paths && s.task != paths
}

func skillsOf(eval, task *yaml.Node) skills {
	return skills{
		scenario: value(eval, "scenario") != nil,
		skill:    textOf(value(eval, "skill")) != "",
		eval:     directoriesOf(lookup(eval, "config", "skill_directories"), true),
		task:     directoriesOf(value(task, "skill_directories"), false),
		denyAll:  slices.Equal(textsOf(lookup(eval, "config", "disabled_skills")), []string{denyEverySkill}),
	}
}

func directoriesOf(n *yaml.Node, inEval bool) directories {
	switch {
	case n == nil || n.Kind != yaml.SequenceNode:
		return unsaid
	case len(n.Content) == 0 && inEval:
		return unsaid
	case len(n.Content) == 0:
		return emptied
	case inEval && slices.Equal(textsOf(n), []string{noDirectory}):
		return denied
	}
	return paths
}

// noneOrEmpty admits an empty list and the sentinel (our choice, runner 4.2).
func noneOrEmpty(v authored) {
	if directoriesOf(v.Node, true) == paths {
		v.refuseAs(runner.CodeCapturedUnsupported, "an empty list or [none]", describe, whyNoSkills)
	}
}

// admitSkills refuses a unit whose skills take effect. Authored paths have a finding of their own, so they alone give
// no second one.
func admitSkills(eval, task *yaml.Node, found *faults) {
	s := skillsOf(eval, task)
	if s.eval == paths {
		s.eval = unsaid
	}
	if s.task == paths {
		s.task = unsaid
	}
	if s.disabled() {
		return
	}
	const off = `config.disabled_skills: ["*"] switches skills off`
	if s.skill {
		authored{value(eval, "skill"), pathOf("skill"), found}.refuse(runner.CodeCapturedUnsupported,
			"skills switched off", "a skill in effect", off)
		return
	}
	authored{eval, pathOf("scenario"), found}.refuse(runner.CodeCapturedUnsupported,
		"a scenario, or skills switched off", "neither", off)
}
