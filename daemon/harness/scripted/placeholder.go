package scripted

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// maxExpanded bounds, in bytes, what placeholders add to one text: values of many are cut, so that no script can make
// much of a long input.
const maxExpanded = 64 << 10

var placeholder = regexp.MustCompile(`\{\{([^{}]*)\}\}`)

// variable is one placeholder that texts of a script may have.
type variable struct {
	Name, About string
}

func variables() []variable {
	return []variable{
		{"input", "text of the Turn's input; an image as its description"},
		{"steer", "text of the active input that was consumed last"},
		{"result", "text of the function result that came last"},
		{"turn", "number of the Turn in its native Session, from 1"},
		{"history", "inputs of earlier Turns of the native Session"},
		{"native_session", "id of the native Session"},
		{"run", "id of the Run"},
		{"model", "the configured model"},
		{"text_verbosity", "the resolved verbosity"},
		{"reasoning_effort", "the configured effort"},
	}
}

// checkPlaceholders refuses a name that no variable has, anywhere in a text.
func checkPlaceholders(text string) error {
	for _, match := range placeholder.FindAllStringSubmatch(text, -1) {
		if !hasVariable(match[1]) {
			return fmt.Errorf("placeholder %q is not known; known are %s", match[0], variableNames())
		}
	}
	return nil
}

func hasVariable(name string) bool {
	for _, v := range variables() {
		if v.Name == name {
			return true
		}
	}
	return false
}

func variableNames() string {
	var names []string
	for _, v := range variables() {
		names = append(names, v.Name)
	}
	return strings.Join(names, ", ")
}

// expand puts values in place of placeholders. What comes in is not looked at again.
func expand(text string, values map[string]string) string {
	return expandWith(text, values, func(value string) string { return value })
}

// expandJSON does the same inside the strings of a JSON text; braces like these stand nowhere else in one.
func expandJSON(text jsontext.Value, values map[string]string) jsontext.Value {
	return jsontext.Value(expandWith(string(text), values, func(value string) string {
		quoted, _ := jsontext.AppendQuote(nil, value) // an error is broken UTF-8, which it replaces
		return string(quoted[1 : len(quoted)-1])
	}))
}

func expandWith(text string, values map[string]string, escape func(string) string) string {
	share := maxExpanded / max(1, len(placeholder.FindAllStringIndex(text, -1)))
	return placeholder.ReplaceAllStringFunc(text, func(match string) string {
		return escape(cut(values[strings.Trim(match, "{}")], share))
	})
}

// cut shortens text to at most most bytes, at the border of a character.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
