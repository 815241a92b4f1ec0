package captured

import (
	"fmt"
	"strconv"

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
	path   *path
	faults *faults
}

func (v authored) refuse(code runner.Code, expected, found, hint string) {
	if v.faults.counted() {
		return
	}
	v.faults.at(v.Node, runner.Finding{Code: code, Path: v.path.String(), Expected: expected, Found: found, Hint: hint})
}

// refuseAs is refuse for a value whose description is worth making only when it is listed.
func (v authored) refuseAs(code runner.Code, expected string, found func(*yaml.Node) string, hint string) {
	if !v.faults.counted() {
		v.refuse(code, expected, found(v.Node), hint)
	}
}

// item is the value at a position of a list.
func (v authored) item(i int) authored {
	return authored{v.Content[i], v.path.at(i), v.faults}
}

// below is a value, or the place where one is missed, at a key of a mapping.
func (v authored) below(key string, n *yaml.Node) authored {
	return authored{n, v.path.below(key), v.faults}
}

// check judges a mapping by the table of its fields, in the order of the text.
func check(v authored, fields []field, code runner.Code) {
	for i := 0; i+1 < len(v.Content); i += 2 {
		key := v.Content[i]
		f, known := row(fields, key.Value)
		switch {
		case known:
			f.check(v.below(key.Value, v.Content[i+1]))
		case !v.faults.counted():
			v.below(key.Value, key).refuse(code, "a known field", "an unknown one", suggest(key.Value, fields))
		}
	}
	for _, f := range fields {
		if f.required && value(v.Node, f.name) == nil && !v.faults.counted() {
			v.below(f.name, v.Node).refuse(f.shapeCode(), f.expected(), "nothing", "the field is required")
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
		if !v.faults.counted() {
			v.refuse(f.shapeCode(), f.expected(), describe(v.Node), f.hint(v.Node))
		}
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
		if isString(n) {
			continue
		}
		ok = false
		if !v.faults.counted() {
			v.item(i).refuse(code, "a string", describe(n), quoteHint(n))
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
	if f.nullable {
		return f.kindName() + " or null"
	}
	return f.kindName()
}

func (f field) kindName() string {
	switch f.kind {
	case text:
		return "a string"
	case flag:
		return "true or false"
	case whole:
		return fmt.Sprintf("an integer from %d to %d", f.least, runner.MaxCount)
	case texts:
		return "a list of strings"
	case list:
		return "a list"
	case section, mapping:
		return "a mapping"
	}
	return "a value"
}

// hint says how the value could become what the field takes.
func (f field) hint(n *yaml.Node) string {
	switch {
	case f.kind == text:
		return quoteHint(n)
	case f.kind == flag && isString(n):
		return "write true or false, without quotes"
	case f.kind == whole && isString(n) && spellsInteger(n.Value):
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

func spellsInteger(s string) bool {
	_, err := strconv.ParseInt(s, 0, 64)
	return err == nil
}
