package captured

import "parley/runner"

// taskFields is the table of runner 4.5; both profiles share it.
func (a *admission) taskFields() []field {
	return []field{
		{name: "id", kind: text, required: true}, // selection.go
		{name: "name", kind: text},
		{name: "description", kind: text},
		{name: "enabled", kind: flag, nullable: true, rule: enabledOnly},
		{name: "golden", kind: flag},
		{name: "tags", kind: texts, nullable: true},
		{name: "timeout_seconds", kind: whole, nullable: true, least: 1},
		{name: "first_event_timeout_seconds", kind: whole, nullable: true}, // effective value: first_event.go
		{name: "inputs", kind: section, required: true, fields: inputFields()},
		{name: "context_dir", kind: text, rule: emptyOnly(whyNoFiles)},
		{name: "instruction_files", kind: list, nullable: true, rule: emptyOnly(whyNoFiles)},
		{name: "skill_directories", kind: texts, nullable: true, rule: emptyOnly(whyNoSkills)},
		{name: "checkpoints", kind: list, nullable: true, rule: emptyOnly(whyTextOnly)},
		{name: "requirements", kind: list, nullable: true, rule: emptyOnly(whyTextOnly)}, // our choice
		{name: "mcp_mocks", kind: list, nullable: true, rule: emptyOnly(whyNoTools)},
		{name: "expected", kind: section, fields: expectedFields()},
		{name: "graders", kind: list, nullable: true, rule: a.admitGraders},
	}
}

// inputFields is the inputs part of runner 4.5. A prompt of "" is a prompt.
func inputFields() []field {
	return []field{
		{name: "prompt", kind: text, required: true},
		{name: "prompt_file", kind: text, rule: never(whyNoFiles)},
		{name: "context", kind: mapping, nullable: true, rule: emptyOnly(whyTextOnly)},
		{name: "files", kind: list, nullable: true, rule: emptyOnly(whyNoFiles)},
		{name: "repos", kind: list, nullable: true, rule: emptyOnly(whyNoFiles)},
		{name: "environment", kind: mapping, nullable: true, rule: emptyOnly(whyTextOnly)},
		{name: "follow_up_prompts", kind: list, nullable: true, rule: emptyOnly("one turn is sent in this profile")},
		{name: "workdir", kind: text, rule: emptyOnly(whyNoFiles)},
		setNever("responder", "one turn is sent in this profile"),
	}
}

// expectedFields is the expected part of runner 4.5. What is not a text check must not be dropped silently (our choice).
func expectedFields() []field {
	return []field{
		{name: "output_contains", kind: texts, nullable: true, rule: nonblankItems},
		{name: "output_not_contains", kind: texts, nullable: true, rule: nonblankItems},
		{name: "output_contains_any", kind: texts, nullable: true, rule: nonblankItems},
		setNever("outcomes", whyTextOnly),
		setNever("tool_calls", whyTextOnly),
		setNever("behavior", whyTextOnly),
		setNever("should_trigger", whyTextOnly),
	}
}

func enabledOnly(v authored) {
	if on, _ := boolean(v.Node); !on {
		v.refuse(runner.CodeTaskDisabled, "an enabled task", "the boolean false", "remove enabled or set it to true")
	}
}

// nonblankItems refuses entries that could never fail or never pass by a visible text (our choice, runner 4.5).
func nonblankItems(v authored) {
	for i, n := range v.Content {
		if blank(n.Value) && !v.faults.counted() {
			v.item(i).refuse(runner.CodeGraderInvalid, "a text that is not blank", blankFound(n.Value), "")
		}
	}
}
