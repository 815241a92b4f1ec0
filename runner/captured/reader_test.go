package captured_test

import (
	"strings"
	"testing"

	"parley/runner"
	"parley/runner/captured"
)

// runner 4.1: the reader's rules, on a task text; each refusal names line and column and stands alone.
func TestReader(t *testing.T) {
	t.Parallel()
	good := baseTask().String()
	tests := []struct {
		name, text string
		want       string // message without the document's name, "" when admitted
	}{
		{"a closing mark", good + "...\n", ""},
		{"an opening mark", "---\n" + good, ""},
		{"a byte order mark", "\ufeff" + good, ""},
		{"comments and CRLF", "# first\r\n" + strings.ReplaceAll(good, "\n", "\r\n"), ""},
		{"an escape for a control character", good + `description: "\x01"` + "\n", ""},
		{"a quoted merge sign is a value", good + "description: '<<'\n", ""},
		{"tags that say what is there", good + "description: !!str x\ntags: !!seq [a]\n", ""},

		{"empty text", "", "line 1 column 1: expected one document whose root is a mapping, found no document"},
		{"only a comment", "# nothing\n", "line 1 column 1: expected one document whose root is a mapping, found no document"},
		{"only a mark", "---", "line 1 column 1: expected one document whose root is a mapping, found null"},
		{"null", "null\n", "line 1 column 1: expected one document whose root is a mapping, found null"},
		{"a list", "- a\n", "line 1 column 1: expected one document whose root is a mapping, found a list of 1"},
		{"a scalar", "text\n", "line 1 column 1: expected one document whose root is a mapping, found a string"},
		{"a second document with nothing in it", "id: a\n---\n", "line 2 column 1: expected exactly one document, found a second one; remove the line --- and what follows it"},
		{"a second document behind a comment", "id: a\n# more\n---\nb: 1\n", "line 3 column 1: expected exactly one document, found a second one; remove the line --- and what follows it"},
		{"an alias", "a: &x 1\nb: *x\n", "line 1 column 4, a: expected a value without an anchor, found an anchor; remove the anchor, used or not|" +
			"line 2 column 4, b: expected the value itself, found an alias; write the value out"},
		{"an unused anchor", "a:\n  - &x b\n", "line 2 column 5, a[0]: expected a value without an anchor, found an anchor; remove the anchor, used or not"},
		{"an anchored key", "&x a: 1\n", "line 1 column 1: expected a value without an anchor, found an anchor; remove the anchor, used or not"},
		{"an alias to nothing", "é: *secret\n", "line 1 column 10: expected well-formed YAML, found a syntax error (an alias without an anchor; aliases are not admitted at all); reading stopped here; the fault is here or shortly before"},
		{"a merge key", "a: {<<: {b: 1}}\n", "line 1 column 5, a: expected a string key, found a merge key; write the merged fields out"},
		{"an integer key", "a: {1: b}\n", "line 1 column 5, a: expected a string key, found the integer 1; put the key in quotes"},
		{"a boolean key", "true: b\n", "line 1 column 1: expected a string key, found the boolean true; put the key in quotes"},
		{"a null key", "null: b\n", "line 1 column 1: expected a string key, found null; put the key in quotes"},
		{"a date key", "2024-01-01: b\n", "line 1 column 1: expected a string key, found a date; put the key in quotes"},
		{"a complex key", "? [a]\n: b\n", "line 1 column 3: expected a string key, found a list of 1; put the key in quotes"},
		{"a repeated key", "a: {b: 1, c: 2, 'b': 3}\n", "line 1 column 17, a.b: expected each key once, found the key again; it stands on line 1 already"},
		{"a foreign tag", "a: !x 1\n", "line 1 column 4, a: expected a value of one of YAML's own types, found a tag that is not one of them; remove the tag"},
		{"a foreign tag on a list", "a: !!omap []\n", "line 1 column 4, a: expected a value of one of YAML's own types, found a tag that is not one of them; remove the tag"},
		{"a tag that is contradicted", "a: !!int five\n", "line 1 column 4, a: expected a value of the type that its tag says, found another one; remove the tag or correct the value"},
		{"a raw control character", "id: a\nb: x\x07y\n", "line 2 column 5: expected well-formed YAML, found a syntax error (control characters are not allowed); reading stopped here; the fault is here or shortly before"},
		{"an invalid escape", "a: \"\\q\"\n", "line 1 column 7: expected well-formed YAML, found a syntax error (found unknown escape character); reading stopped here; the fault is here or shortly before"},
		{"a tab below a field", "inputs:\n  prompt: hi\n\tcontext: 3\n", "line 3 column 1: expected well-formed YAML, found a syntax error (found a tab character that violates indentation); a tab indents this line; indent with spaces"},
		{"a tab after spaces", "inputs:\n  prompt: hi\n \tcontext: 3\n", "line 3 column 2: expected well-formed YAML, found a syntax error (found a tab character that violates indentation); a tab indents this line; indent with spaces"},
		{"a tab as indentation", "a:\n\tb: 1\n", "line 2 column 1: expected well-formed YAML, found a syntax error (found character that cannot start any token); a tab indents this line; indent with spaces"},
		{"an open list", "a: 1\nb: [c\n", "line 2 column 5: expected well-formed YAML, found a syntax error (did not find expected ',' or ']'); reading stopped here; the fault is here or shortly before"},
		{"a fault behind the first document", "a: 1\n...\n%NO\n---\n", "line 3 column 3: expected well-formed YAML, found a syntax error (found unknown directive name); reading stopped here; the fault is here or shortly before"},
		{"invalid UTF-8", "a: \xff\n", "line 1 column 4: expected UTF-8 text, found other bytes"},
		{"UTF-16", "\xff\xfea\x00:\x00", "line 1 column 1: expected UTF-8 text, found other bytes"},
		{"nesting over the bound", "a: " + strings.Repeat("[", 64) + strings.Repeat("]", 64), "line 1 column 67, a" + strings.Repeat("[0]", 63) + ": expected at most 64 levels of nesting, found one more"},
		{"a key too long to repeat", "k" + strings.Repeat("x", 100) + ": &a b", "line 1 column 104, k" + strings.Repeat("x", 63) + "…: expected a value without an anchor, found an anchor; remove the anchor, used or not"},
		{"an odd key in a path", "'a b': {'': &x 1}", `line 1 column 13, ["a b"][""]: expected a value without an anchor, found an anchor; remove the anchor, used or not`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			unit, found := captured.Admit(request(baseEval(mock()).String(), tt.text), mock())
			var got []string
			for _, f := range found {
				if f.Code != invalid || f.Document != runner.InTask {
					t.Errorf("got %s in %s, want %s in the task", f.Code, f.Document, invalid)
				}
				got = append(got, strings.TrimPrefix(f.Message(), "task "))
			}
			if s := strings.Join(got, "|"); s != tt.want || (unit != nil) != (tt.want == "") {
				t.Errorf("got  %s\nwant %s", s, tt.want)
			}
		})
	}
}

// runner 4.1: strings are kept as written.
func TestTextsStayAsWritten(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		`" a\tb "`: " a\tb ", "yes": "yes", "'null'": "null", `"e\u0301"`: "e\u0301", "!!str 0x1F": "0x1F", "|\n    a\n     b": "a\n b\n",
	} {
		unit, found := captured.Admit(request(baseEval(mock()).String(), baseTask().set("inputs.prompt", value).String()), mock())
		if unit == nil || unit.Prompt != want {
			t.Errorf("%s: got unit %v and findings %v, want prompt %q", value, unit, messages(found), want)
		}
	}
}

// Every fault that can be reported together is, in document order, and both documents are read.
func TestFindingsTogether(t *testing.T) {
	t.Parallel()
	req := request(
		"config: {executor: mock, timeout_secs: 3, trials_per_task: 1.5, workers: 2}\nworkers: 1\ngraders: [{name: g}]\nscenario: x\n",
		"expected: {output_contains: [1]}\nid: other\ninputs: {prompt_file: x}\n")
	req.Selection.Shard = "quay-west"
	unit, found := captured.Admit(req, mock())
	want := []string{
		`selection_conflict: /selection/shard at byte 0: expected the shard of the input, "quay-east", found "quay-west"; both must name the same shard`,
		`selection_conflict: /selection/task at byte 0: expected the id of the captured task, found "berth-7"; the id stands on line 2 of the task; both must be the same byte for byte`,
		`captured_field_unsupported: eval line 1 column 1, schemaVersion: expected "2.0", because scenario is set, found nothing; write schemaVersion: "2.0"`,
		`captured_yaml_invalid: eval line 1 column 9, config.timeout_seconds: expected an integer from 1 to 2147483647, found nothing; the field is required`,
		`captured_yaml_invalid: eval line 1 column 26, config.timeout_secs: expected a known field, found an unknown one`,
		`captured_yaml_invalid: eval line 1 column 60, config.trials_per_task: expected an integer from 1 to 2147483647, found the floating-point number 1.5; write a whole number without point or exponent`,
		`captured_field_unsupported: eval line 1 column 74, config.workers: expected 0, or no such field, found the integer 2; one attempt runs alone in this profile`,
		`captured_yaml_invalid: eval line 2 column 1, workers: expected a known field, found an unknown one; it belongs below config`,
		`captured_yaml_invalid: eval line 3 column 11, graders[0].type: expected a string, found nothing; the field is required`,
		`captured_yaml_invalid: eval line 3 column 11, graders[0].config: expected a mapping, found nothing; the field is required`,
		`captured_yaml_invalid: task line 1 column 30, expected.output_contains[0]: expected a string, found the integer 1; put the text in quotes`,
		`captured_yaml_invalid: task line 3 column 9, inputs.prompt: expected a string, found nothing; the field is required`,
		`captured_field_unsupported: task line 3 column 23, inputs.prompt_file: expected no such field, found a string; nothing outside the captured texts is read`,
	}
	if got := strings.Join(messages(found), "\n"); unit != nil || got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// A document lists runner.MaxFindings faults and then says how many remain.
func TestFindingsAreBounded(t *testing.T) {
	t.Parallel()
	_, found := captured.Admit(request(baseEval(mock()).String()+strings.Repeat("? x\n", 100), baseTask().String()), mock())
	if len(found) != runner.MaxFindings+1 {
		t.Fatalf("got %d findings, want %d", len(found), runner.MaxFindings+1)
	}
	last := found[len(found)-1]
	if last.Code != invalid || last.Found != "35 more" || last.Expected != "no further fault" {
		t.Errorf("got %+v, want the remainder of 35", last)
	}
}
