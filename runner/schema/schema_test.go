package schema_test

import (
	"bytes"
	"maps"
	"reflect"
	"strings"
	"testing"

	"parley/runner/schema"
	"parley/runner/schema/schematest"
)

// runner 2: six documents have a schema.
func TestNamesAreTheContractsSix(t *testing.T) {
	t.Parallel()
	want := "runner-negotiation-request-1.0 runner-negotiation-response-1.0 runner-request-1.0 " +
		"runner-capabilities-1.0 runner-unit-1.0 runner-terminal-1.0"
	if got := strings.Join(schema.Names(), " "); got != want {
		t.Errorf("names: got %s, want %s", got, want)
	}
}

func TestSchemaSaysWhatItIs(t *testing.T) {
	t.Parallel()
	for _, name := range schema.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := published(t, name)
			for key, want := range map[string]string{
				"$schema": "https://json-schema.org/draft/2020-12/schema",
				"$id":     "/schemas/" + name + ".schema.json",
				"title":   schema.Title(name),
			} {
				if got := doc[key]; got != want || want == "" {
					t.Errorf("%s: got %v, want %q", key, got, want)
				}
			}
		})
	}
}

func TestUnknownNameGivesNothing(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "runner-terminal", "runner-terminal-1.0.schema.json", "../schema/runner-terminal-1.0", "."} {
		if text, ok := schema.Get(name); ok || text != nil {
			t.Errorf("Get(%q): got %d bytes and %t, want none and false", name, len(text), ok)
		}
		if got := schema.Title(name); got != "" {
			t.Errorf("Title(%q): got %q, want none", name, got)
		}
	}
}

func TestTextIsTheCallersOwn(t *testing.T) {
	t.Parallel()
	first, _ := schema.Get(schema.Terminal)
	clear(first)
	second, _ := schema.Get(schema.Terminal)
	if bytes.Equal(first, second) {
		t.Error("second Get: got the bytes that the first caller cleared, want its own")
	}
}

// A reference to another file would not compile: schematest loads each schema alone.
func TestEverySchemaCompilesAlone(t *testing.T) {
	t.Parallel()
	for _, name := range schema.Names() {
		err := schematest.Valid(name, []byte(`[]`))
		if err == nil || !strings.Contains(err.Error(), `"": got array, want object`) {
			t.Errorf("%s on a list: got %v, want a refusal of the whole document", name, err)
		}
	}
}

func TestEveryReferenceHasItsDefinition(t *testing.T) {
	t.Parallel()
	for _, name := range schema.Names() {
		doc := published(t, name)
		used := make(map[string]bool)
		walk(doc, "", func(place string, s map[string]any) {
			target, ok := s["$ref"].(string)
			if !ok {
				return
			}
			used[target] = true
			if at(doc, strings.TrimPrefix(target, "#")) == nil {
				t.Errorf("%s%s: got a reference to %s, want one that is there", name, place, target)
			}
		})
		defs, _ := doc["$defs"].(map[string]any)
		for def := range defs {
			if !used["#/$defs/"+def] {
				t.Errorf("%s: definition %s: got no use, want one", name, def)
			}
		}
	}
}

// runner 2: every object is closed. A condition (if, then, else) only narrows and stays open.
func TestEveryObjectIsClosed(t *testing.T) {
	t.Parallel()
	for _, name := range schema.Names() {
		walk(published(t, name), "", func(place string, s map[string]any) {
			if s["type"] != "object" {
				return
			}
			if _, isMap := s["additionalProperties"].(map[string]any); isMap && s["properties"] == nil {
				return // a map by name: its values have a schema (runner 5.2, validations)
			}
			if s["additionalProperties"] != false {
				t.Errorf("%s%s: got additionalProperties %v, want false", name, place, s["additionalProperties"])
			}
		})
	}
}

// The editor shows descriptions while a person writes a request.
func TestEveryKeyIsDescribed(t *testing.T) {
	t.Parallel()
	for _, name := range schema.Names() {
		walk(published(t, name), "", func(place string, s map[string]any) {
			properties, _ := s["properties"].(map[string]any)
			for key := range properties {
				text, _ := at(properties, "/"+key+"/description").(string)
				if len(text) < 15 || !strings.HasSuffix(text, ".") || len(text) > 200 {
					t.Errorf("%s%s, key %s: got description %q, want a sentence of 15 to 200 bytes", name, place, key, text)
				}
			}
		})
	}
}

// runner 2.5: compatibility is a whole negotiation response, so the unit schema repeats that schema word for word.
func TestUnitRepeatsTheNegotiationResponse(t *testing.T) {
	t.Parallel()
	response := published(t, schema.NegotiationResponse)
	unit := published(t, schema.Unit)["$defs"].(map[string]any)
	for name, want := range response["$defs"].(map[string]any) {
		if got := unit[name]; !reflect.DeepEqual(got, want) {
			t.Errorf("definition %s: got %v, want %v", name, got, want)
		}
	}
	want := maps.Clone(response)
	for _, key := range []string{"$schema", "$id", "$defs", "title", "description"} {
		delete(want, key)
	}
	if got := unit["negotiation_response"]; !reflect.DeepEqual(got, any(want)) {
		t.Errorf("negotiation_response: got %v, want %v", got, want)
	}
}

func TestSchemaIsMadeToBeRead(t *testing.T) {
	t.Parallel()
	for _, name := range schema.Names() {
		text, _ := schema.Get(name)
		if !bytes.HasSuffix(text, []byte("\n}\n")) || bytes.ContainsAny(text, "\t\r") {
			t.Errorf("%s: got other line ends or indentation, want spaces and one closing newline", name)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if len(line) > 200 {
				t.Errorf("%s line %d: got %d bytes, want at most 200", name, i+1, len(line))
			}
		}
	}
}

// walk visits every schema that describes a value; conditions are left out, because they only narrow one.
func walk(s map[string]any, place string, visit func(place string, s map[string]any)) {
	visit(place, s)
	for _, group := range []string{"properties", "$defs"} {
		members, _ := s[group].(map[string]any)
		for name, member := range members {
			if m, ok := member.(map[string]any); ok {
				walk(m, place+"/"+group+"/"+name, visit)
			}
		}
	}
	for _, one := range []string{"items", "additionalProperties"} {
		if m, ok := s[one].(map[string]any); ok {
			walk(m, place+"/"+one, visit)
		}
	}
}
