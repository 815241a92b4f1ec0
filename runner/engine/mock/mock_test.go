package mock_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"parley/runner/engine"
	"parley/runner/engine/mock"
)

// runner 5.1: the answer, line by line.
func TestOutput(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		task engine.Task
		want string
	}{
		{engine.Task{Prompt: "Say quay", Name: "Quay"}, "Mock response for: Say quay\nTask: Quay"},
		{engine.Task{Prompt: "", Name: "Quay", Description: "At low tide"}, "Mock response for: \nTask: Quay\nDescription: At low tide"},
		{engine.Task{Prompt: "x", Description: "y"}, "Mock response for: x\nDescription: y"},
		{engine.Task{}, "Mock response for: "},
		{engine.Task{Prompt: "x", Model: "m", Trial: 3, Attempt: 2}, "Mock response for: x"},
	} {
		if got := mock.Output(c.task); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.task, got, c.want)
		}
	}
}

// runner 5.1: a private workspace that is gone after shutdown, and an ended context noticed before work.
func TestLifecycle(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	e := mock.New()
	if err := e.Initialize(t.Context()); err != nil {
		t.Fatal(err)
	}
	made, err := filepath.Glob(filepath.Join(dir, "parley-unit-*"))
	if err != nil || len(made) != 1 {
		t.Fatalf("got %v (%v), want one workspace", made, err)
	}
	if info, err := os.Stat(made[0]); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("got %v (%v), want mode 0700", info, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Execute(ended, engine.Task{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's end", err)
	}
	for range 2 {
		if err := e.Shutdown(ended); err != nil {
			t.Errorf("got %v, want nil also the second time", err)
		}
	}
	if _, err := os.Stat(made[0]); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want the workspace gone", err)
	}
}
