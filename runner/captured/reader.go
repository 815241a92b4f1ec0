package captured

import (
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"parley/runner"
)

// errLibrary stands for a panic inside the YAML library, which must not become ours.
var errLibrary = errors.New("the YAML library gave up")

// read gives the root mapping of a captured text. When the reader refuses the text, root is nil and the faults say
// why; the rules of fields are not asked then (runner 4.1).
func read(document, text string) (root *yaml.Node, found *faults) {
	found = &faults{document: document}
	if !utf8.ValidString(text) { // the library would take some byte order marks for another encoding
		found.add(encodingFault(text))
		return nil, found
	}
	if checkDirectives(text, found); found.any() {
		return nil, found
	}
	first, second, err := parse(strings.NewReader(text))
	switch {
	case err != nil:
		found.add(syntaxFault(text, err))
		return nil, found
	case first == nil:
		found.add(runner.Finding{Code: runner.CodeCapturedYAMLInvalid, Line: 1, Column: 1,
			Expected: "one document whose root is a mapping", Found: "no document"})
		return nil, found
	}
	root = first.Content[0]
	w := walk{faults: found}
	w.visit(root, 1)
	if root.Kind != yaml.MappingNode && !found.any() {
		found.at(first, runner.Finding{Code: runner.CodeCapturedYAMLInvalid,
			Expected: "one document whose root is a mapping", Found: describe(root)})
	}
	if second != nil {
		found.at(second, runner.Finding{Code: runner.CodeCapturedYAMLInvalid,
			Expected: "exactly one document", Found: "a second one",
			Hint: "remove the line --- and what follows it"})
	}
	if found.any() {
		return nil, found
	}
	return root, found
}

// parse builds the node tree of the first document, and of the second if there is one. Nodes keep aliases as they are:
// nothing is expanded.
func parse(r io.Reader) (first, second *yaml.Node, err error) {
	defer func() {
		if recover() != nil {
			first, second, err = nil, nil, errLibrary
		}
	}()
	d := yaml.NewDecoder(r)
	if first, err = next(d); first == nil {
		return nil, nil, err
	}
	if second, err = next(d); err != nil {
		return nil, nil, err
	}
	return first, second, nil
}

// next gives the next document, nil at the end of the text.
func next(d *yaml.Decoder) (*yaml.Node, error) {
	var doc yaml.Node
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &doc, nil
}
