package frontend_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/frontend"
	"parley/runner/admission"
)

// nested writes a name below the keys of a path such as "graders * config"; "*" is an item of a list.
func nested(path, name string) string {
	text := "{" + name + ": x}"
	keys := strings.Fields(path)
	for _, key := range slices.Backward(keys) {
		if key == "*" {
			text = "[" + text + "]"
		} else {
			text = "{" + key + ": " + text + "}"
		}
	}
	return text + "\n"
}

// F21, runner 4.2, 4.3, 4.5, 4.6: every name that is offered in a captured text is one that the runner knows there.
func TestOfferedNamesAreKnown(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("script/yaml_names.js")
	if err != nil {
		t.Fatal(err)
	}
	unit, _ := frontend.SampleNamed("unit")
	checked := 0
	document := "eval"
	for _, m := range regexp.MustCompile(`(?s)(eval|task): \{|(?:"([a-z *]*)"|(\w+)): \[(.*?)\]`).FindAllStringSubmatch(string(data), -1) {
		if m[1] != "" {
			document = m[1]
			continue
		}
		for _, name := range regexp.MustCompile(`"(\w+)"`).FindAllStringSubmatch(m[4], -1) {
			checked++
			text := nested(m[2]+m[3], name[1])
			if !strings.Contains(faultOf(t, unit.Body, document, nested(m[2]+m[3], "colour"), "colour"), "unknown") {
				t.Fatalf("%s: got a place where every name is known", nested(m[2]+m[3], "colour"))
			}
			if got := faultOf(t, unit.Body, document, text, name[1]); strings.Contains(got, "unknown") {
				t.Errorf("%s, offered:\n%sgot %s, want a known field", document, text, got)
			}
		}
	}
	if checked < 40 {
		t.Errorf("names: got %d, want the whole table", checked)
	}
}

// faultOf gives what the runner finds at a name in one captured text of a request.
func faultOf(t *testing.T, request []byte, document, text, name string) string {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(request, &doc); err != nil {
		t.Fatal(err)
	}
	doc["input"].(map[string]any)[document] = text
	changed, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range admission.Inspect(changed).Findings {
		if f.Document == document && (f.Path == name || strings.HasSuffix(f.Path, "."+name)) {
			return f.Found
		}
	}
	return ""
}
