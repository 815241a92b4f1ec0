package main_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/runner"
	"parley/runner/schema"
	"parley/runner/schema/schematest"
)

func captureArgs(eval, task string, more ...string) []string {
	return append([]string{"runner", "capture", eval, task, "--shard", "quay-east", "--run-key", "tide-2031", "--trial", "3"}, more...)
}

// runner 2.3: two files become the sample request, and that runs.
func TestCaptureOfTheExamples(t *testing.T) {
	t.Parallel()
	const dir = "../../examples/runner/"
	got := finish(t, command(t, captureArgs(dir+"eval.yaml", dir+"berth-7.yaml", "--timeout-ms", "45000", "--check")...), nil)
	if got.code != 0 || len(got.stderr) > 0 {
		t.Fatalf("got exit %d, %s", got.code, got.stderr)
	}
	schematest.Check(t, schema.Request, got.stdout)
	sample, err := os.ReadFile(dir + "unit.json")
	if err != nil {
		t.Fatal(err)
	}
	captured, faults := runner.ReadUnitRequest(got.stdout)
	want, _ := runner.ReadUnitRequest(sample)
	if faults.Any() || captured.Input != want.Input || captured.Selection != want.Selection || captured.RunKey != want.RunKey {
		t.Errorf("got %+v, want the sample %+v", captured, want)
	}
	if ran := finish(t, command(t, "runner", "run"), bytes.NewReader(got.stdout)); ran.code != 0 {
		t.Errorf("run: got exit %d, %s", ran.code, ran.stdout)
	}
}

// runner 4: a refusal has validate's diagnostics on standard error, and nothing is written.
func TestCaptureRefuses(t *testing.T) {
	t.Parallel()
	const eval, task = "../../examples/runner/eval.yaml", "../../examples/runner/berth-7.yaml"
	broken := filepath.Join(t.TempDir(), "broken.yaml")
	if err := os.WriteFile(broken, []byte("id: &a berth-7\nname: *a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		says string
	}{
		{"anchor", captureArgs(eval, broken), "captured_yaml_invalid: task line 1"},
		{"trial out of range, checked", captureArgs(eval, task, "--trial", "9", "--check"), "selection_out_of_range"},
		{"no shard", []string{"runner", "capture", eval, task, "--run-key", "k"}, "invalid_request: --shard: expected a key"},
		{"trial 0", captureArgs(eval, task, "--trial", "0"), "invalid_request: --trial: expected an integer from 1 to 2147483647, found the number 0"},
		{"time limit 0", captureArgs(eval, task, "--timeout-ms", "0"), "invalid_request: --timeout-ms: expected an integer"},
		{"absent file", captureArgs(eval, "absent.yaml"), "absent.yaml"},
		{"a folder", captureArgs(eval, t.TempDir()), "is a directory"},
	} {
		got := finish(t, command(t, c.args...), nil)
		if got.code != runner.ExitInvalid || len(got.stdout) > 0 || !strings.Contains(string(got.stderr), c.says) {
			t.Errorf("%s: got exit %d, %q, %s, want 6, nothing, %s", c.name, got.code, got.stdout, got.stderr, c.says)
		}
	}
	if got := finish(t, command(t, captureArgs(eval, task, "--trial", "9")...), nil); got.code != 0 {
		t.Errorf("unchecked: got exit %d, %s, want the request as asked for", got.code, got.stderr)
	}
}

// runner 2: each schema is printed as it is published.
func TestSchemaPrints(t *testing.T) {
	t.Parallel()
	list := finish(t, command(t, "runner", "schema"), nil)
	if got := strings.Fields(string(list.stdout)); len(got) != 6 || list.code != 0 {
		t.Fatalf("got %q, exit %d, want six names", got, list.code)
	}
	for _, name := range schema.Names() {
		want, _ := schema.Get(name)
		if got := finish(t, command(t, "runner", "schema", name), nil); got.code != 0 || !bytes.Equal(got.stdout, want) {
			t.Errorf("%s: got exit %d and %d bytes, want %d", name, got.code, len(got.stdout), len(want))
		}
	}
}
