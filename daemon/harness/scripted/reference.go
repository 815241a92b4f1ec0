package scripted

import (
	_ "embed" // the page around the tables
	"reflect"
	"strings"
	"text/template"
)

//go:generate go test -run TestReferenceIsCurrent -write-docs

//go:embed reference.md.tmpl
var referencePage string

type referenceKey struct {
	Name, Expected, About string
	Needed                bool
}

type referenceStep struct {
	Do, About string
	Keys      []referenceKey
}

// Reference is the description of scripts in Markdown, made from the tables that scripts are read by.
func Reference() (string, error) {
	shipped, err := Scripts()
	if err != nil {
		return "", err
	}
	var steps []referenceStep
	for _, kind := range stepKinds() {
		keys := referenceKeys("", reflect.TypeOf(kind.fresh()).Elem())
		steps = append(steps, referenceStep{Do: kind.do, About: kind.about, Keys: keys})
	}
	page, err := template.New("reference").Parse(referencePage)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = page.Execute(&out, map[string]any{
		"Scripts":   shipped,
		"Document":  referenceKeys("", reflect.TypeFor[document]()),
		"Steps":     steps,
		"Variables": variables(),
	})
	return out.String(), err
}

// referenceKeys lists the keys of an object, and those of the sections in it.
func referenceKeys(prefix string, object reflect.Type) []referenceKey {
	var keys []referenceKey
	for _, f := range fieldsOf(object) {
		keys = append(keys, referenceKey{Name: prefix + f.name, Expected: f.expected, About: f.about, Needed: f.needed})
		if section := object.Field(f.index).Type; isSection(section) {
			keys = append(keys, referenceKeys(prefix+f.name+".", section)...)
		}
	}
	return keys
}
