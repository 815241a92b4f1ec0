package main_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"parley/runner/cases"
	"parley/runner/schema/schematest"
)

// served starts the lab as a process and gives its URL; the test's end stops it in order.
func served(t *testing.T) string {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "serve", "--json", "--no-open", "--addr", "127.0.0.1:0", "--data", t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("stop: got %v, want exit 0", err)
		}
	})
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var ready struct {
		URL string `json:"url"`
	}
	if err := json.Unmarshal(line, &ready); err != nil {
		t.Fatalf("readiness line %s: %v", line, err)
	}
	return ready.URL
}

// durations are the only thing in which two runs of one unit differ.
var durations = regexp.MustCompile(`"duration_ms":\d+`)

// runner 10 and 7.1: all forty cases over HTTP answer 200 with the command line's own bytes.
func TestAppendixOverHTTP(t *testing.T) {
	t.Parallel()
	url := served(t)
	for _, c := range cases.Appendix() {
		name := fmt.Sprintf("%d %s", c.Number, c.Name)
		response, err := http.Post(url+"/api/v1/runner/"+string(c.Act), "application/json", strings.NewReader(c.Body))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: got %s %q (%v), want 200 application/json", name, response.Status, response.Header.Get("Content-Type"), err)
		}
		if err := c.Verify(answer); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		schematest.Check(t, schemaOf(c.Act), answer)
		told := finish(t, command(t, "runner", string(c.Act)), strings.NewReader(c.Body)).stdout
		if !bytes.Equal(durations.ReplaceAll(told, nil), durations.ReplaceAll(answer, nil)) {
			t.Errorf("%s: got over HTTP\n%s\nand on the command line\n%s", name, answer, told)
		}
	}
}
