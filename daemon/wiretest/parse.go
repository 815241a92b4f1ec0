package wiretest

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"parley/daemon/proto"
)

// SyntaxError is a scenario file that cannot be used.
type SyntaxError struct {
	File string
	Line int
	Text string
}

// Error names file and line first.
func (e *SyntaxError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text) }

// Parse reads one scenario file. openings are the step lists that files may begin with, by name.
func Parse(file string, data []byte, openings map[string][]byte) (Scenario, error) {
	p := &parser{file: file, openings: openings}
	root, err := p.document(data)
	if err != nil {
		return Scenario{}, err
	}
	return p.scenario(root)
}

// parser turns nodes of one file into steps.
type parser struct {
	file     string
	openings map[string][]byte
	field    string // the capability of the round of each_capability that is being read
	depth    int    // of the value that is being read: an alias may contain itself
}

func (p *parser) fail(node *yaml.Node, format string, args ...any) error {
	return &SyntaxError{File: p.file, Line: node.Line, Text: fmt.Sprintf(format, args...)}
}

func (p *parser) document(data []byte) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, &SyntaxError{File: p.file, Line: 1, Text: err.Error()}
	}
	if len(doc.Content) != 1 {
		return nil, &SyntaxError{File: p.file, Line: 1, Text: "expected one document, found none"}
	}
	return doc.Content[0], nil
}

func (p *parser) scenario(root *yaml.Node) (Scenario, error) {
	s := Scenario{Tests: []Role{Core, Runtime}}
	members, err := p.members(root, "name", "title", "proves", "tests", "behaviour", "needs", "opening", "slow", "ends", "unconnected", "steps")
	if err != nil {
		return s, err
	}
	for _, read := range []struct {
		key  string
		into any
	}{
		{"name", &s.Name}, {"title", &s.Title}, {"proves", &s.Proves}, {"tests", &s.Tests}, {"behaviour", &s.Behaviour},
		{"needs", &s.Needs}, {"slow", &s.Slow}, {"ends", &s.Ends},
		{"unconnected", &s.Unconnected},
	} {
		if err := p.decode(members[read.key], read.into); err != nil {
			return s, err
		}
	}
	if want := strings.TrimSuffix(path.Base(p.file), ".yaml"); s.Name != want {
		return s, p.fail(root, "name: expected %q as the file is called, found %q", want, s.Name)
	}
	if s.Title == "" || len(s.Proves) == 0 || members["steps"] == nil {
		return s, p.fail(root, "expected title, proves and steps")
	}
	if err := p.checkWords(root, &s); err != nil {
		return s, err
	}
	s.Steps, err = p.opening(members["opening"])
	if err != nil {
		return s, err
	}
	steps, err := p.steps(members["steps"])
	s.Steps = append(s.Steps, steps...)
	return s, err
}

// checkWords refuses sides and needs that do not exist.
func (p *parser) checkWords(root *yaml.Node, s *Scenario) error {
	for _, side := range s.Tests {
		if side != Core && side != Runtime {
			return p.fail(root, "tests: expected core and runtime, found %q", side)
		}
	}
	for _, need := range s.Needs {
		if _, known := proto.CapabilityNamed(need); !known && !slices.Contains([]string{NeedWake, NeedRevoke, NeedDriver}, need) {
			return p.fail(root, "needs: expected a capability, wake, revoke or driver, found %q", need)
		}
	}
	return nil
}

// opening reads the steps that many scenarios begin with. Their errors name the opening's own file.
func (p *parser) opening(node *yaml.Node) ([]Step, error) {
	if node == nil {
		return nil, nil
	}
	data, known := p.openings[node.Value]
	if !known {
		return nil, p.fail(node, "opening: expected one of the files in openings, found %q", node.Value)
	}
	inner := &parser{file: openingsFolder + node.Value + ".yaml"}
	root, err := inner.document(data)
	if err != nil {
		return nil, err
	}
	return inner.steps(root)
}

func (p *parser) decode(node *yaml.Node, into any) error {
	if node == nil {
		return nil
	}
	if err := node.Decode(into); err != nil {
		return p.fail(node, "%v", err)
	}
	return nil
}

// members reads a mapping strictly.
func (p *parser) members(node *yaml.Node, allowed ...string) (map[string]*yaml.Node, error) {
	if node.Kind != yaml.MappingNode {
		return nil, p.fail(node, "expected a mapping of %s", strings.Join(allowed, ", "))
	}
	found := map[string]*yaml.Node{}
	for i := 0; i < len(node.Content); i += 2 {
		key := node.Content[i]
		if !slices.Contains(allowed, key.Value) {
			return nil, p.fail(key, "key %q: expected one of %s", key.Value, strings.Join(allowed, ", "))
		}
		if found[key.Value] != nil {
			return nil, p.fail(key, "key %q stands twice", key.Value)
		}
		found[key.Value] = node.Content[i+1]
	}
	return found, nil
}

// deepest bounds the levels of a value.
const deepest = 32

// value turns a node into plain data: maps, lists, strings, int64, float64, bool and nil.
func (p *parser) value(node *yaml.Node) (any, error) {
	if p.depth++; p.depth > deepest {
		return nil, p.fail(node, "value is deeper than %d levels", deepest)
	}
	defer func() { p.depth-- }()
	switch node.Kind {
	case yaml.AliasNode:
		return p.value(node.Alias)
	case yaml.MappingNode:
		return p.object(node)
	case yaml.SequenceNode:
		list := make([]any, len(node.Content))
		for i, element := range node.Content {
			value, err := p.value(element)
			if err != nil {
				return nil, err
			}
			list[i] = value
		}
		return list, nil
	}
	return p.scalar(node)
}

func (p *parser) object(node *yaml.Node) (any, error) {
	object := make(map[string]any, len(node.Content)/2)
	for i := 0; i < len(node.Content); i += 2 {
		value, err := p.value(node.Content[i+1])
		if err != nil {
			return nil, err
		}
		key := strings.ReplaceAll(node.Content[i].Value, "${field}", p.field)
		if strings.HasPrefix(key, "$") && !slices.Contains(operators(), key) {
			return nil, p.fail(node.Content[i], "operator %q: expected one of %s", key, strings.Join(operators(), ", "))
		}
		object[key] = value
	}
	return object, nil
}

func (p *parser) scalar(node *yaml.Node) (any, error) {
	switch node.ShortTag() {
	case "!!str":
		if name, is := strings.CutPrefix(node.Value, "$"); is && !strings.HasPrefix(name, "{") && !nameable(name) {
			return nil, p.fail(node, "value %q: expected a given value or a placeholder with a known name", node.Value)
		}
		return strings.ReplaceAll(node.Value, "${field}", p.field), nil
	case "!!int":
		var n int64
		err := p.decode(node, &n)
		return n, err
	case "!!float":
		var f float64
		err := p.decode(node, &f)
		return f, err
	case "!!bool":
		var b bool
		err := p.decode(node, &b)
		return b, err
	case "!!null":
		return nil, nil
	}
	return nil, p.fail(node, "value %q: expected a string, number, boolean or null", node.Value)
}
