package captured

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"parley/runner"
)

// kind is the kind of node that a field takes (runner 4.1).
type kind int

const (
	text     kind = iota // a string
	flag                 // a boolean
	whole                // an integer from the field's least to runner.MaxCount
	texts                // a list of strings
	list                 // a list; its rule looks at the items
	section              // a mapping with known fields
	mapping              // a mapping with keys of the author's own
	anything             // any node; its rule decides
)

// field is one row of a document's table.
type field struct {
	name     string
	kind     kind
	nullable bool        // null is as good as leaving the field out
	required bool        // must be authored
	least    int64       // of a whole number
	code     runner.Code // of a fault of kind, "" is captured_yaml_invalid
	rule     rule        // nil admits every value of the kind
	fields   []field     // of a section
}

// rule judges a value whose kind is right.
type rule func(v authored)

// authored is a value at its place.
type authored struct {
	*yaml.Node
	path   string
	faults *faults
}

func (v authored) refuse(code runner.Code, expected, found, hint string) {
	v.faults.at(v.Node, runner.Finding{Code: code, Path: v.path, Expected: expected, Found: found, Hint: hint})
}

// item is the value at a position of a list.
func (v authored) item(i int) authored {
	return authored{v.Content[i], item(v.path, i), v.faults}
}

// check judges a mapping by the table of its fields, in the order of the text.
func check(v authored, fields []field, code runner.Code) {
	for i := 0; i+1 < len(v.Content); i += 2 {
		key := v.Content[i]
		child := authored{v.Content[i+1], join(v.path, key.Value), v.faults}
		f, known := row(fields, key.Value)
		if !known {
			authored{key, child.path, v.faults}.refuse(code, "a known field", "an unknown one", suggest(key.Value, fields))
			continue
		}
		f.check(child)
	}
	for _, f := range fields {
		if f.required && value(v.Node, f.name) == nil {
			missing := authored{v.Node, join(v.path, f.name), v.faults}
			missing.refuse(f.shapeCode(), f.expected(), "nothing", "the field is required")
		}
	}
}

func row(fields []field, name string) (field, bool) {
	for _, f := range fields {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}

func (f field) check(v authored) {
	if f.nullable && isNull(v.Node) {
		return
	}
	if !f.admits(v.Node) {
		v.refuse(f.shapeCode(), f.expected(), describe(v.Node), f.hint(v.Node))
		return
	}
	switch f.kind {
	case section:
		check(v, f.fields, f.shapeCode())
	case texts:
		if !onlyTexts(v, f.shapeCode()) {
			return
		}
	}
	if f.rule != nil {
		f.rule(v)
	}
}

// admits reports that a node is of the field's kind and, for a number, in its range.
func (f field) admits(n *yaml.Node) bool {
	switch f.kind {
	case text:
		return isString(n)
	case flag:
		_, ok := boolean(n)
		return ok
	case whole:
		i, ok := integer(n)
		return ok && i >= f.least && fitsCount(i)
	case texts, list:
		return n.Kind == yaml.SequenceNode
	case section, mapping:
		return n.Kind == yaml.MappingNode
	}
	return true
}

// fitsCount is the range of counts and timeouts (runner 4.1).
func fitsCount(i int64) bool { return i >= 0 && i <= runner.MaxCount }

// onlyTexts refuses the items of a list that are no strings.
func onlyTexts(v authored, code runner.Code) bool {
	ok := true
	for i, n := range v.Content {
		if !isString(n) {
			v.item(i).refuse(code, "a string", describe(n), quoteHint(n))
			ok = false
		}
	}
	return ok
}

func (f field) shapeCode() runner.Code {
	if f.code != "" {
		return f.code
	}
	return runner.CodeCapturedYAMLInvalid
}

// expected names what the field takes.
func (f field) expected() string {
	s := map[kind]string{
		text: "a string", flag: "true or false", texts: "a list of strings", list: "a list",
		section: "a mapping", mapping: "a mapping", anything: "a value",
		whole: fmt.Sprintf("an integer from %d to %d", f.least, runner.MaxCount),
	}[f.kind]
	if f.nullable {
		return s + " or null"
	}
	return s
}

// hint says how the value could become what the field takes.
func (f field) hint(n *yaml.Node) string {
	switch {
	case f.kind == text:
		return quoteHint(n)
	case f.kind == flag && isString(n):
		return "write true or false, without quotes"
	case f.kind == whole && isString(n):
		return "write the number without quotes"
	case f.kind == whole && n.Tag == tagFloat:
		return "write a whole number without point or exponent"
	}
	return ""
}

// quoteHint helps with scalars that YAML does not read as texts.
func quoteHint(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode && !isString(n) && !isNull(n) {
		return "put the text in quotes"
	}
	return ""
}
