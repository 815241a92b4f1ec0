package captured

import "parley/runner"

// Why the profiles refuse what they refuse; the hint of the finding.
const (
	whyOneAttempt = "one attempt runs alone in this profile"
	whyNoFiles    = "nothing outside the captured texts is read"
	whyNoTools    = "tools and their mocks are off in this profile"
	whyNoSkills   = "skills are off in this profile"
	whyTextOnly   = "only the captured prompt is sent and only text is checked"
	whyNoHooks    = "no hook runs in this profile"
)

// evalFields is the table of runner 4.2 for a profile. Rows without a rule are bound into identity and have no effect
// on one attempt.
func (a *admission) evalFields() []field {
	return []field{
		{name: "schemaVersion", kind: text},            // with scenario: suite.go
		{name: "scenario", kind: text, rule: nonblank}, // nonblank
		{name: "skill", kind: text},                    // skills.go; an empty one is none (our choice)
		{name: "name", kind: text},
		{name: "description", kind: text},
		{name: "version", kind: text},
		{name: "config", kind: section, required: true, fields: configFields(a.profile)},
		{name: "hooks", kind: mapping, rule: emptyOnly(whyNoHooks)}, // a struct: null refuses
		{name: "mcp_mocks", kind: anything, rule: voidOnly(whyNoTools)},
		{name: "command_mocks", kind: anything, rule: voidOnly(whyNoTools)},
		{name: "adversarial", kind: anything, rule: voidOnly(whyTextOnly)},
		{name: "tasks_from", kind: text, rule: emptyOnly(whyNoFiles)},
		{name: "baseline", kind: flag, rule: falseOnly(whyOneAttempt)},
		{name: "range", kind: list, nullable: true, rule: zeroRange},
		{name: "inputs", kind: mapping, nullable: true, rule: emptyOnly("variables could alter the prompt")},
		{name: "tasks", kind: texts, nullable: true}, // never expanded or opened
		{name: "graders", kind: list, nullable: true, rule: a.admitGraders},
		// null is as good as absent under the offline profile only (runner 4.3).
		{name: "metrics", kind: list, nullable: !a.profile.Paid, code: runner.CodeMetricsInvalid, rule: admitMetrics},
	}
}

// configFields is the config part of runner 4.2.
func configFields(p runner.Profile) []field {
	return []field{
		{name: "executor", kind: text, required: true, rule: exactly(p.Executor, runner.CodeProfileConflict,
			"the required profile "+p.Capability+" needs this executor")},
		modelField(p),
		{name: "trials_per_task", kind: whole, required: true, least: 1},
		{name: "max_attempts", kind: whole}, // absent or 0 is one attempt
		{name: "timeout_seconds", kind: whole, required: true, least: 1},
		{name: "first_event_timeout_seconds", kind: whole}, // effective value: first_event.go
		{name: "parallel", kind: flag, rule: falseOnly(whyOneAttempt)},
		{name: "workers", kind: whole, rule: zeroOnly(whyOneAttempt)},
		{name: "fail_fast", kind: flag},
		{name: "group_by", kind: text},
		{name: "judge_model", kind: text},
		// Under P our choice: the field is not in the profile.
		{name: "reasoning_effort", kind: text, rule: emptyOnly("the profile has no reasoning setting")},
		{name: "judge_reasoning_effort", kind: text, rule: emptyOnly("the profile has no reasoning setting")},
		{name: "skill_directories", kind: texts, nullable: true, rule: noneOrEmpty},
		{name: "disabled_skills", kind: texts, nullable: true}, // skills.go
		{name: "required_skills", kind: texts, nullable: true, rule: emptyOnly(whyNoSkills)},
		{name: "instruction_files", kind: list, nullable: true, rule: emptyOnly(whyNoFiles)},
		{name: "mcp_servers", kind: mapping, nullable: true, rule: emptyOnly(whyNoTools)},
		{name: "inject_skill_body", kind: flag, nullable: true, rule: falseOnly(whyNoSkills)},
		{name: "trigger_skill_routing", kind: flag, nullable: true, rule: falseOnly(whyNoSkills)},
	}
}

// modelField: a paid profile wants the model it pays for named (runner 4.2).
func modelField(p runner.Profile) field {
	if p.Paid {
		return field{name: "model", kind: text, required: true, rule: nonblank}
	}
	return field{name: "model", kind: text}
}

// zeroRange admits two zeros (our choice, runner 4.2).
func zeroRange(v authored) {
	if len(v.Content) != 2 {
		v.refuseAs(runner.CodeCapturedYAMLInvalid, "a list of two integers", describe, "")
		return
	}
	bound := field{kind: whole, rule: zeroOnly(whyOneAttempt)}
	for i := range v.Content {
		bound.check(v.item(i))
	}
}
