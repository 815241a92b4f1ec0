package admission

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"parley/runner"
)

// Capture is what a complete request is made of: two texts exactly as they were read, and the selection. The task's own
// id becomes selection.task, so the request names the text it carries.
type Capture struct {
	Eval, Task []byte
	Shard      string // for selection and input alike
	Trial      int
	Attempt    int
	RunKey     string
	TimeoutMS  int64  // milliseconds
	Profile    string // capability that is required beside exact-unit
}

// Request gives the complete request document, or why none can be written: a text that is no UTF-8 or not the YAML that
// the contract reads, or a value outside its bounds. What the profile makes of the texts is not asked; Validate does.
func (c Capture) Request() ([]byte, []runner.Diagnostic) {
	if findings := c.encoding(); len(findings) > 0 {
		return nil, runner.Faults{Findings: findings}.Diagnostics(runner.MaxFindings)
	}
	document := runner.EncodeRequest(runner.Request{
		SchemaVersion: runner.SchemaVersion, Versions: runner.Versions(),
		Required: []string{runner.CapExactUnit, c.Profile}, Optional: []string{},
		RunKey:    c.RunKey,
		Selection: runner.Selection{Shard: c.Shard, Task: taskID(c.Task), Trial: c.Trial, Attempt: c.Attempt},
		Input:     runner.Input{Shard: c.Shard, Eval: string(c.Eval), Task: string(c.Task)},
		TimeoutMS: c.TimeoutMS,
	})
	diagnostics := Validate(document).Diagnostics
	refused := slices.DeleteFunc(diagnostics, func(d runner.Diagnostic) bool {
		return d.Code != runner.CodeInvalidRequest && d.Code != runner.CodeRequestTooLarge && d.Code != runner.CodeCapturedYAMLInvalid
	})
	if len(refused) > 0 {
		return nil, refused
	}
	return document, nil
}

// encoding finds text that JSON cannot carry exactly (runner 3, rule 2).
func (c Capture) encoding() []runner.Finding {
	var findings []runner.Finding
	for _, text := range []struct {
		name  string
		bytes []byte
	}{{runner.InEval, c.Eval}, {runner.InTask, c.Task}} {
		at := firstInvalid(text.bytes)
		if at < 0 {
			continue
		}
		before := string(text.bytes[:at])
		start := strings.LastIndexByte(before, '\n') + 1
		findings = append(findings, runner.Finding{Code: runner.CodeCapturedYAMLInvalid, Document: text.name,
			Line: strings.Count(before, "\n") + 1, Column: utf8.RuneCountInString(before[start:]) + 1,
			Expected: "UTF-8 text", Found: "the byte 0x" + strconv.FormatUint(uint64(text.bytes[at]), 16)})
	}
	return findings
}

func firstInvalid(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// taskID is the id that a task text declares, or one that fits no task: the reader then says what is wrong with the
// text.
func taskID(text []byte) string {
	const none = "unnamed"
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil || len(document.Content) == 0 {
		return none
	}
	root := document.Content[0]
	for i := 0; i+1 < len(root.Content) && root.Kind == yaml.MappingNode; i += 2 {
		if root.Content[i].Value == "id" && root.Content[i+1].Kind == yaml.ScalarNode {
			return root.Content[i+1].Value
		}
	}
	return none
}
