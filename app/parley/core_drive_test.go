package main_test

import (
	"bufio"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// driving is a `parley core drive` that is asked line by line.
type driving struct {
	t       *testing.T
	in      *bufio.Writer
	answers *bufio.Reader
}

func startDriving(t *testing.T, folder string) *driving {
	t.Helper()
	command := exec.CommandContext(t.Context(), binary(t), "core", "drive", "--data", folder)
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = command.Wait() // its answers are what counts
	})
	return &driving{t: t, in: bufio.NewWriter(in), answers: bufio.NewReader(out)}
}

func (d *driving) ask(request string) string {
	d.t.Helper()
	_, err := d.in.WriteString(request + "\n")
	if err == nil {
		err = d.in.Flush()
	}
	if err != nil {
		d.t.Fatal(err)
	}
	answer, err := d.answers.ReadString('\n')
	if err != nil {
		d.t.Fatalf("%s: no answer: %v", request, err)
	}
	return strings.TrimSuffix(answer, "\n")
}

// exchanges are the requests of a page's section, each with its answer.
func exchanges(section string) [][2]string {
	var all [][2]string
	for line := range strings.Lines(section) {
		line = strings.TrimSuffix(line, "\n")
		if request, is := strings.CutPrefix(line, "> "); is {
			all = append(all, [2]string{request, ""})
		} else if strings.HasPrefix(line, "{") && len(all) > 0 {
			all[len(all)-1][1] = line
		}
	}
	return all
}

// docs/drive.md shows what happens: each of its sections is run, and … stands for anything.
func TestDrivePageIsTrue(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/drive.md")
	if err != nil {
		t.Fatal(err)
	}
	lab := serve(t, t.TempDir())
	ran := 0
	for _, section := range strings.Split(string(page), "\n## ") {
		steps := exchanges(section)
		if len(steps) == 0 {
			continue
		}
		ran++
		title, _, _ := strings.Cut(section, "\n")
		d := startDriving(t, lab.Data)
		d.ask(`{"do":"connected"}`)
		for _, step := range steps {
			want := strings.ReplaceAll(regexp.QuoteMeta(step[1]), "…", ".*")
			if got := d.ask(step[0]); step[1] == "" || !regexp.MustCompile("^"+want+"$").MatchString(got) {
				t.Errorf("%s: %s\ngot  %s\nwant %s", title, step[0], got, step[1])
			}
		}
	}
	if ran != 3 {
		t.Errorf("got %d sections with requests, want 3", ran)
	}
}

// The samples for the command are those of the page, and do the same each time.
func TestDriveSamples(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/drive.md")
	if err != nil {
		t.Fatal(err)
	}
	lab := serve(t, t.TempDir())
	for file, want := range map[string][]string{
		"prepare.jsonl": {`"state":"preparing"`, `"state":"ready"`, `"state":"released"`, `"end":"closed"`},
		"turn.jsonl":    {`"state":"started"`, `"accepted":true`, `"frame":"function_call"`, `"applied":true,"outcome"`, `"frame":"done"`},
	} {
		sample, err := os.ReadFile("../../examples/core/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for round := range 2 {
			d := startDriving(t, lab.Data)
			var told strings.Builder
			for line := range strings.Lines(string(sample)) {
				line = strings.TrimSuffix(line, "\n")
				told.WriteString(d.ask(line) + "\n")
				if file == "turn.jsonl" && !strings.Contains(string(page), "> "+line+"\n") {
					t.Errorf("%s: got %s, want a request of docs/drive.md", file, line)
				}
			}
			for _, text := range want {
				if !strings.Contains(told.String(), text) || strings.Contains(told.String(), `"error"`) {
					t.Errorf("%s, time %d: got %s, want %s", file, round+1, told.String(), text)
				}
			}
		}
	}
}

// A name that nothing was observed for is told by the command, and other texts stay as they are.
func TestDriveNamesWithoutAValue(t *testing.T) {
	t.Parallel()
	lab := serve(t, t.TempDir())
	d := startDriving(t, lab.Data)
	if got := d.ask(`{"do":"release","id":"p","payload":{"handle":"${handle}"}}`); !strings.Contains(got, "${handle}: nothing was observed yet") {
		t.Errorf("got %s, want that nothing was observed", got)
	}
	if got := d.ask(`{"do":"observe","of":"run","id":"${HOME}-$handle"}`); !strings.Contains(got, `${HOME}-$handle`) {
		t.Errorf("got %s, want the id as it was written", got)
	}
}
