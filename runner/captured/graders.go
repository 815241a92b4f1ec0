package captured

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"parley/runner"
	"parley/runner/grading"
)

// admitGraders checks a graders list and makes graders of what is right (runner 4.6).
func (a *admission) admitGraders(v authored) {
	one := field{kind: section, fields: a.graderFields()}
	for i := range v.Content {
		entry, before := v.item(i), v.faults.total()
		one.check(entry)
		if v.faults.total() == before {
			a.addGrader(entry)
		}
	}
}

// graderFields is the entry of runner 4.6. Only type, name and config are admitted; the others are known from
// graders of other kinds and refused whatever they say (our choice but for weight).
func (a *admission) graderFields() []field {
	other := never("a text grader has type, name and config only")
	return []field{
		{name: "type", kind: text, required: true, rule: exactly(grading.Type, runner.CodeCapturedUnsupported,
			"graders of other kinds are not in this profile")},
		{name: "name", kind: text, required: true, rule: a.admitName},
		{name: "config", kind: section, required: true, fields: []field{
			{name: grading.KeyContains, kind: texts, nullable: true},
			{name: grading.KeyNotContains, kind: texts, nullable: true},
			{name: grading.KeyContainsCS, kind: texts, nullable: true},
			{name: grading.KeyNotContainsCS, kind: texts, nullable: true},
			{name: grading.KeyRegexMatch, kind: texts, nullable: true},
			{name: grading.KeyRegexNotMatch, kind: texts, nullable: true},
		}},
		{name: "weight", kind: anything, rule: other},
		{name: "ref", kind: anything, rule: other},
		{name: "script", kind: anything, rule: other},
		{name: "rubric", kind: anything, rule: other},
		{name: "model", kind: anything, rule: other},
		{name: "assertions", kind: anything, rule: other},
	}
}

// admitName wants a name that no other result of the attempt has (runner 4.6).
func (a *admission) admitName(v authored) {
	const expected = "a name of its own"
	first, taken := a.names[v.Value]
	isReserved := slices.Contains(grading.Reserved(), v.Value)
	switch {
	case blank(v.Value):
		v.refuse(runner.CodeGraderInvalid, expected, blankFound(v.Value), "")
	case (isReserved || taken) && v.faults.counted():
	case isReserved:
		v.refuse(runner.CodeGraderInvalid, expected, "the reserved name "+v.Value, "expectations report under it")
	case taken:
		v.refuse(runner.CodeGraderInvalid, expected, "a name used before", "it stands at "+first.String()+" already")
	default:
		a.names[v.Value] = spot{v.faults.document, v.Line}
	}
}

// spot is a line of one of the two documents.
type spot struct {
	document string
	line     int
}

func (s spot) String() string { return s.document + " line " + strconv.Itoa(s.line) }

// addGrader makes the grader of an entry whose fields are right, or places the faults of its configuration.
func (a *admission) addGrader(v authored) {
	config := v.below("config", value(v.Node, "config"))
	items := func(key string) []string { return textsOf(value(config.Node, key)) }
	lists := grading.TextConfig{
		Contains: items(grading.KeyContains), NotContains: items(grading.KeyNotContains),
		ContainsCS: items(grading.KeyContainsCS), NotContainsCS: items(grading.KeyNotContainsCS),
		RegexMatch: items(grading.KeyRegexMatch), RegexNotMatch: items(grading.KeyRegexNotMatch),
	}
	if a.exceedsClasses(lists.Classes()) {
		if !v.faults.counted() {
			config.refuse(runner.CodeGraderInvalid, fmt.Sprintf("at most %d large character classes in the patterns of a unit", grading.MaxClasses),
				"more with these", `use fewer classes such as \p{L}, and fewer ranges beyond ASCII under (?i)`)
		}
		return
	}
	g, err := grading.NewText(textOf(value(v.Node, "name")), lists)
	if err == nil {
		a.graders = append(a.graders, g)
		return
	}
	faults, ok := errors.AsType[grading.Faults](err)
	if !ok {
		config.refuse(runner.CodeGraderInvalid, "a configuration that can be evaluated", "another one", "")
		return
	}
	refuseConfig(config, faults)
}

// refuseConfig places the faults of a configuration.
func refuseConfig(config authored, faults grading.Faults) {
	for _, f := range faults.Listed {
		if config.faults.counted() {
			continue
		}
		at := config
		if f.Key != "" {
			at = config.below(f.Key, value(config.Node, f.Key)).item(f.Index)
		}
		at.refuse(runner.CodeGraderInvalid, f.Expected, f.Found, "")
	}
	config.faults.more += faults.More // there are some only when the document's list is full, too
}

// exceedsClasses adds a grader's large character classes and reports that there are too many with them. One without
// any is not to blame.
func (a *admission) exceedsClasses(more int) bool {
	a.classes += more
	return more > 0 && a.classes > grading.MaxClasses
}
