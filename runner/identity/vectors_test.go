package identity_test

import (
	"encoding/json"
	"os"
	"testing"

	"go.yaml.in/yaml/v3"

	"parley/runner"
	"parley/runner/identity"
)

// vector is one entry of the files of runner-identity 3.
type vector struct {
	Name    string `json:"name"`
	Request struct {
		RunKey    string           `json:"run_key"`
		Selection runner.Selection `json:"selection"`
		Input     struct {
			Shard string `json:"shard"`
			Eval  string `json:"eval"`
			Task  string `json:"task"`
		} `json:"input"`
		TimeoutMS int64 `json:"timeout_ms"`
	} `json:"request"`
	CanonicalEval string          `json:"canonical_eval"`
	CanonicalTask string          `json:"canonical_task"`
	Identity      runner.Identity `json:"identity"`
}

func (v vector) request() *runner.Request {
	return &runner.Request{
		Complete: true, RunKey: v.Request.RunKey, Selection: v.Request.Selection, TimeoutMS: v.Request.TimeoutMS,
		Input: runner.Input{Shard: v.Request.Input.Shard, Eval: v.Request.Input.Eval, Task: v.Request.Input.Task},
	}
}

// runner-identity 3: the published vector and the computed ones, encoding and derivation.
func TestVectors(t *testing.T) {
	t.Parallel()
	total := 0
	for _, file := range []string{"testdata/canonical.json", "testdata/computed.json"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var vectors []vector
		if err := json.Unmarshal(data, &vectors); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, v := range vectors {
			total++
			t.Run(v.Name, func(t *testing.T) {
				t.Parallel()
				v.check(t)
			})
		}
	}
	if total != 6 {
		t.Errorf("got %d vectors, want 6", total)
	}
}

func (v vector) check(t *testing.T) {
	eval, task := root(t, v.Request.Input.Eval), root(t, v.Request.Input.Task)
	if got := encode(t, eval); got != v.CanonicalEval {
		t.Errorf("eval: got  %s\nwant %s", got, v.CanonicalEval)
	}
	if got := encode(t, task); got != v.CanonicalTask {
		t.Errorf("task: got  %s\nwant %s", got, v.CanonicalTask)
	}
	got, err := identity.Of(v.request(), eval, task)
	if err != nil || got != v.Identity {
		t.Errorf("got  %+v, error %v\nwant %+v", got, err, v.Identity)
	}
	if got := identity.Derive(v.request(), v.CanonicalEval, v.CanonicalTask); got != v.Identity {
		t.Errorf("derived from canonical texts: got %+v, want %+v", got, v.Identity)
	}
}

// root parses a text without admission: vectors test derivation alone (runner-identity 3).
func root(t testing.TB, text string) *yaml.Node {
	t.Helper()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil || len(doc.Content) != 1 {
		t.Fatalf("parse %q: %v", text, err)
	}
	return doc.Content[0]
}

func encode(t testing.TB, n *yaml.Node) string {
	t.Helper()
	s, err := identity.Encode(n)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
