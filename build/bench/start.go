package main

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
)

// benchStart is B10's empty start: process start to first 200 on a new data folder, as a multiple of a bare Echo and
// SQLite process.
func benchStart(r *report, dir string) error {
	bare, product := filepath.Join(dir, "bare"), filepath.Join(dir, "parley")
	for target, pkg := range map[string]string{bare: "./build/bench/bare", product: "./app/parley"} {
		build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", target, pkg)
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("build %s: %w", pkg, err)
		}
	}
	f, err := pairs(
		starts(dir, func(folder string) *exec.Cmd { return exec.Command(bare, filepath.Join(folder, "bare.db")) }),
		starts(dir, func(folder string) *exec.Cmd {
			return exec.Command(product, "serve", "--json", "--no-open", "--addr", "127.0.0.1:0", "--data", folder)
		}))
	if err != nil {
		return err
	}
	r.add("B10 empty start", f, goal{Must: 10, Aim: 4, Good: atMost})
	return nil
}

// starts gives the mean seconds of the starts that fit in one window, each in a folder of its own.
func starts(dir string, command func(folder string) *exec.Cmd) measure {
	return func() (float64, error) {
		var spent time.Duration
		n := 0
		for ; spent < windowTime && n < 20; n++ {
			one, err := startOnce(dir, command)
			if err != nil {
				return 0, err
			}
			spent += one
		}
		return spent.Seconds() / float64(n), nil
	}
}

func startOnce(dir string, command func(folder string) *exec.Cmd) (time.Duration, error) {
	folder, err := os.MkdirTemp(dir, "start-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	cmd := command(folder)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed on purpose
	}()
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		return 0, fmt.Errorf("read readiness of %s: %w", cmd.Path, err)
	}
	var ready struct {
		URL string `json:"url"`
	}
	if err := json.Unmarshal(line, &ready); err != nil {
		return 0, fmt.Errorf("read readiness of %s: %w", cmd.Path, err)
	}
	answer, err := http.Get(ready.URL + "/healthz")
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("first answer of %s: got %s, want 200", cmd.Path, answer.Status)
	}
	return time.Since(begin), nil
}
