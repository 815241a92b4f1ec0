package scripted

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// step is one thing that a Turn does.
type step interface {
	// check refuses members that do not fit together. seen holds what earlier steps of the Turn introduced.
	check(seen labels) error
	// play does it; an error means that the Turn was stopped meanwhile.
	play(p *player) error
}

// labels are the ids that steps of one list gave to what they began, such as "function call_1".
type labels map[string]bool

// introduce notes an id; it refuses one that is taken.
func (l labels) introduce(what, id string) error {
	if id == "" {
		return nil
	}
	if l[what+" "+id] {
		return fmt.Errorf("%s %q is there already", what, id)
	}
	l[what+" "+id] = true
	return nil
}

// refer asks that an earlier step introduced an id.
func (l labels) refer(what, id string) error {
	if l[what+" "+id] {
		return nil
	}
	return fmt.Errorf("no earlier step began %s %q", what, id)
}

// parseSteps reads the steps of one Turn.
func parseSteps(where string, list jsontext.Value) ([]step, error) {
	var raw []jsontext.Value
	if list.Kind() != '[' || json.Unmarshal(list, &raw) != nil || len(raw) == 0 {
		return nil, fmt.Errorf("%s: expected a list of at least one step, found %s", where, found(list))
	}
	seen := labels{}
	steps := make([]step, 0, len(raw)+1)
	for i, data := range raw {
		next, err := parseStep(fmt.Sprintf("%s: step %d", where, i+1), data, seen)
		if err != nil {
			return nil, err
		}
		steps = append(steps, next)
	}
	if !seen[labelEnd] {
		steps = append(steps, &done{})
	}
	return steps, nil
}

// labelEnd is there once a step has ended the output.
const labelEnd = "end of output"

func parseStep(where string, data jsontext.Value, seen labels) (step, error) {
	var head struct {
		Do string `json:"do"`
	}
	if data.Kind() != '{' || json.Unmarshal(data, &head) != nil || head.Do == "" {
		return nil, fmt.Errorf("%s: expected an object with a key do, one of %s; found %s", where, knownSteps(), found(data))
	}
	kind, known := stepNamed(head.Do)
	if !known {
		return nil, fmt.Errorf("%s: %q is not a step; expected one of %s", where, head.Do, knownSteps())
	}
	where += " (" + head.Do + ")"
	fresh := kind.fresh()
	if err := fill(where, fresh, data, "do"); err != nil {
		return nil, err
	}
	if _, late := fresh.(*afterDone); seen[labelEnd] && !late {
		return nil, fmt.Errorf("%s: only after_done may follow the step that ends the output", where)
	}
	if err := fresh.check(seen); err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	return fresh, nil
}

func knownSteps() string {
	var names []string
	for _, kind := range stepKinds() {
		names = append(names, kind.do)
	}
	return strings.Join(names, ", ")
}

// stepKind is one row of the table of steps.
type stepKind struct {
	do, about string
	fresh     func() step
}

// stepKinds is the table of steps, in the order of the reference.
func stepKinds() []stepKind {
	return []stepKind{
		{"message", "An output message: its start, deltas, and its end with the whole text.", func() step { return &message{} }},
		{"thinking", "Fragments of thinking.", func() step { return &thinking{} }},
		{"tool", "A tool before and after its work, with the neutral observation.", func() step { return &tool{} }},
		{"command_output", "Live output of a command that an earlier tool step began.", func() step { return &commandOutput{} }},
		{"usage", "A cumulative measurement, which replaces the one before.", func() step { return &usage{} }},
		{"error", "An error frame. It does not end the Turn.", func() step { return &failure{} }},
		{"function", "A function call. It waits for the result unless told otherwise.", func() step { return &function{} }},
		{"wait_result", "Waits for the result of a call that did not wait.", func() step { return &waitResult{} }},
		{"withdraw", "Withdraws a call that has no result yet.", func() step { return &withdraw{} }},
		{"wait_steer", "Waits for active input and consumes it.", func() step { return &waitSteer{} }},
		{"subagent", "A child with one Turn: identity, lifecycle, the call that created it, items. Left out where Core does not observe children. Where children are disabled or too many are open, a message says so instead.", func() step { return &subagent{} }},
		{"subagent_end", "Ends a child that was left open.", func() step { return &subagentEnd{} }},
		{"sleep", "Nothing for a while.", func() step { return &sleep{} }},
		{"foreign", "A delta with the id of another Run, which no program may send.", func() step { return &foreign{} }},
		{"done", "Ends the output. A Turn without this step ends so by itself.", func() step { return &done{} }},
		{"after_done", "A delta after the end, which no program may send.", func() step { return &afterDone{} }},
		{"no_done", "Ends the output without done, which no program may do.", func() step { return &noDone{} }},
	}
}

func stepNamed(name string) (stepKind, bool) {
	for _, kind := range stepKinds() {
		if kind.do == name {
			return kind, true
		}
	}
	return stepKind{}, false
}
