// Package schematest checks documents against the published schemas of the runner contract, for tests.
//
// It promises that a document is judged as the bytes it is (numbers stay exact, 6e4 is an integer) and that a refusal
// names every place with its reason. Only tests may import it: it brings a schema validator, which the program does
// not carry. It does not judge what a schema cannot see, such as duplicate keys; that is runner/strictjson.
package schematest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"parley/runner/schema"
)

// Check fails the test at once when doc does not fit the schema of that name.
func Check(t testing.TB, name string, doc []byte) {
	t.Helper()
	if err := Valid(name, doc); err != nil {
		t.Fatalf("%v\ndocument: %s", err, doc)
	}
}

// Valid says how doc contradicts the schema of that name, one line a place, or nil.
func Valid(name string, doc []byte) error {
	all, err := compiled()
	if err != nil {
		return err
	}
	published, known := all[name]
	if !known {
		return fmt.Errorf("schema %q is not published; published are %s", name, strings.Join(schema.Names(), ", "))
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		return fmt.Errorf("%s: read the document: %w", name, err)
	}
	if err := published.Validate(value); err != nil {
		return fmt.Errorf("%s: %w", name, places(err))
	}
	return nil
}

// compiled holds all six by name. Compiling takes milliseconds and the result is safe for parallel tests.
var compiled = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	all := make(map[string]*jsonschema.Schema)
	for _, name := range schema.Names() {
		one, err := compile(name)
		if err != nil {
			return nil, fmt.Errorf("compile schema %s: %w", name, err)
		}
		all[name] = one
	}
	return all, nil
})

// compile reads one schema alone, with no loader, so that a reference to another file is an error.
func compile(name string) (*jsonschema.Schema, error) {
	text, known := schema.Get(name)
	if !known {
		return nil, errors.New("not embedded")
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(jsonschema.SchemeURLLoader{})
	location := "parley:///schemas/" + name + ".schema.json"
	if err := compiler.AddResource(location, value); err != nil {
		return nil, err
	}
	return compiler.Compile(location)
}

// places turns the validator's tree into one line for each leaf: its place as a JSON Pointer, and the reason.
func places(err error) error {
	tree, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return err
	}
	var lines []string
	for _, leaf := range leaves(tree) {
		found := leaf.BasicOutput()
		line := fmt.Sprintf("%q: %v", found.InstanceLocation, found.Error)
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return errors.New(strings.Join(lines, "\n"))
}

func leaves(tree *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(tree.Causes) == 0 {
		return []*jsonschema.ValidationError{tree}
	}
	var found []*jsonschema.ValidationError
	for _, cause := range tree.Causes {
		found = append(found, leaves(cause)...)
	}
	return found
}
