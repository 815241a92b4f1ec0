package main_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"parley/runner"
	"parley/runner/cases"
	"parley/runner/schema"
	"parley/runner/schema/schematest"
)

// program is the real binary, built once.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "parley-runner-test-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "parley")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return path, nil
})

func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return exec.CommandContext(t.Context(), path, args...)
}

// ended is what a process left behind.
type ended struct {
	stdout, stderr []byte
	code           int
}

func finish(t *testing.T, cmd *exec.Cmd, stdin io.Reader) ended {
	t.Helper()
	var out, err bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &out, &err
	failure := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](failure); !ok && failure != nil {
		t.Fatalf("run %v: %v", cmd.Args, failure)
	} else if ok && !exit.Exited() {
		t.Fatalf("run %v: got %v, want an exit", cmd.Args, exit)
	}
	return ended{out.Bytes(), err.Bytes(), cmd.ProcessState.ExitCode()}
}

// schemaOf names the schema of an act's answer.
func schemaOf(act cases.Act) string {
	switch act {
	case cases.Negotiate:
		return schema.NegotiationResponse
	case cases.Validate:
		return schema.Unit
	}
	return schema.Terminal
}

// runner 10 and 1.2: all forty cases through the real binary, one document on one line and nothing else.
func TestAppendixOnTheCommandLine(t *testing.T) {
	t.Parallel()
	for _, c := range cases.Appendix() {
		t.Run(fmt.Sprintf("%d %s", c.Number, c.Name), func(t *testing.T) {
			t.Parallel()
			got := finish(t, command(t, "runner", string(c.Act)), strings.NewReader(c.Body))
			if got.code != c.Exit {
				t.Errorf("got exit %d, want %d", got.code, c.Exit)
			}
			if err := c.Verify(got.stdout); err != nil {
				t.Error(err)
			}
			if bytes.Count(got.stdout, []byte("\n")) != 1 || !bytes.HasSuffix(got.stdout, []byte("}\n")) || len(got.stderr) > 0 {
				t.Errorf("got %q and on standard error %q, want one line and silence", got.stdout, got.stderr)
			}
			schematest.Check(t, schemaOf(c.Act), got.stdout)
		})
	}
}

// runner 1.2: misuse exits 6 with words on standard error and nothing on standard output.
func TestMisuse(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"runner"}, {"runner", "fly"}, {"runner", "run", "unit.json"}, {"runner", "negotiate", "--fast"}, {"runner", "validate", "-x"},
		{"runner", "capabilities", "all"}, {"runner", "schema", "nothing"}, {"runner", "schema", "a", "b"}, {"runner", "capture", "one.yaml"},
		{"runner", "capture", "absent.yaml", "absent.yaml", "--shard", "s", "--run-key", "k"}, {"runner", "capture", "--trial", "x"},
	} {
		got := finish(t, command(t, args...), strings.NewReader(cases.M0))
		if got.code != runner.ExitInvalid || len(got.stdout) > 0 || len(got.stderr) == 0 {
			t.Errorf("%v: got exit %d, %q, %q, want 6, nothing, a reason", args, got.code, got.stdout, got.stderr)
		}
	}
}

// runner 1.2: capabilities does not read standard input.
func TestCapabilitiesDoesNotRead(t *testing.T) {
	t.Parallel()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer write.Close()
	defer read.Close()
	got := finish(t, command(t, "runner", "capabilities"), read)
	if got.code != 0 || !bytes.Equal(got.stdout, runner.Encode(runner.Advertise())) {
		t.Errorf("got exit %d, %s", got.code, got.stdout)
	}
}

// runner 1.2: a signal ends the wait for standard input at once, without the producer closing its end.
func TestSignalWhileWaitingForInput(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		act  cases.Act
		exit int
		says string
	}{
		{cases.Negotiate, runner.ExitInvalid, `"status":"invalid_request"`},
		{cases.Validate, runner.ExitInvalid, `"status":"rejected"`},
		{cases.Run, runner.ExitCancelled, `"outcome":"cancelled"`},
	} {
		for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			t.Run(string(c.act)+" "+signal.String(), func(t *testing.T) {
				t.Parallel()
				cmd := command(t, "runner", string(c.act))
				var out bytes.Buffer
				cmd.Stdout = &out
				stdin, err := cmd.StdinPipe()
				if err != nil {
					t.Fatal(err)
				}
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				// More than a pipe holds: once it is written the program is reading, and listens to signals.
				if _, err := stdin.Write(bytes.Repeat([]byte(" "), 256<<10)); err != nil {
					t.Fatal(err)
				}
				if err := cmd.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
				state, err := cmd.Process.Wait()
				if err != nil {
					t.Fatal(err)
				}
				_ = cmd.Wait() // collects the output; the state is known
				if state.ExitCode() != c.exit || !strings.Contains(out.String(), c.says) || !strings.Contains(out.String(), `"input_cancelled"`) {
					t.Errorf("got exit %d and %s, want %d and %s", state.ExitCode(), out.String(), c.exit, c.says)
				}
				schematest.Check(t, schemaOf(c.act), out.Bytes())
			})
		}
	}
}

// runner 1.3: an answer that cannot be written exits 2 whatever it says.
func TestUnwritableAnswer(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"runner", "capabilities"}, {"runner", "negotiate"}, {"runner", "validate"}, {"runner", "run"}} {
		for name, open := range map[string]func(*testing.T) *os.File{"closed pipe": closedPipe, "full device": fullDevice} {
			t.Run(args[1]+" "+name, func(t *testing.T) {
				t.Parallel()
				cmd := command(t, args...)
				cmd.Stdin, cmd.Stdout = strings.NewReader(cases.M0), open(t)
				var failure *exec.ExitError
				if err := cmd.Run(); !errors.As(err, &failure) || failure.ExitCode() != runner.ExitInfrastructure {
					t.Errorf("got %v, want exit 2", err)
				}
			})
		}
	}
}

func closedPipe(t *testing.T) *os.File {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	read.Close()
	t.Cleanup(func() { write.Close() })
	return write
}

func fullDevice(t *testing.T) *os.File {
	file, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

// runner 3, rule 1, and 1.4, step 1: input that is no document is answered, never executed.
func TestInputThatIsNoDocument(t *testing.T) {
	t.Parallel()
	edge := cases.M0 + strings.Repeat(" ", runner.MaxDocumentBytes-len(cases.M0))
	for _, c := range []struct {
		name, body, says string
		exit             int
	}{
		{"empty", "", "invalid_request", 6},
		{"byte order mark", "\uFEFF" + cases.M0, "a byte order mark", 6},
		{"not UTF-8", "{\"a\":\"\xff\"}", "valid UTF-8", 6},
		{"100,000 brackets", strings.Repeat("[", 100000), "an array", 6},
		{"exactly 4 MiB", edge, `"outcome":"success"`, 0},
		{"one byte more", edge + " ", "request_too_large", 6},
		{"far more", strings.Repeat(edge, 4), "request_too_large", 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := finish(t, command(t, "runner", "run"), strings.NewReader(c.body))
			if got.code != c.exit || !bytes.Contains(got.stdout, []byte(c.says)) {
				t.Errorf("got exit %d and %.300s, want %d and %s", got.code, got.stdout, c.exit, c.says)
			}
			schematest.Check(t, schema.Terminal, got.stdout)
		})
	}
	folder, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if got := finish(t, command(t, "runner", "run"), folder); got.code != 6 || !bytes.Contains(got.stdout, []byte("body_read_failed")) {
		t.Errorf("folder as input: got exit %d and %s", got.code, got.stdout)
	}
}
