//go:build unix

package environment_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/daemon/environment"
	"parley/daemon/workspace"
)

func (b *bench) file(t *testing.T, path, content string) environment.Outcome {
	t.Helper()
	staged, err := b.workspace.Stage(t.Context(), int64(len(content)), digest([]byte(content)))
	if err != nil {
		t.Fatal(err)
	}
	defer staged.Discard()
	if err := fill(staged, []byte(content)); err != nil {
		t.Fatal(err)
	}
	return b.File(t.Context(), staged, path)
}

// wire 3.8.3
func TestFilesGoToTheirLogicalPath(t *testing.T) {
	t.Parallel()
	b := newBench(t, systemPath)
	want(t, "file", b.file(t, "/workspace/a/b", "content"), environment.Completed, 0, nil)
	want(t, "empty", b.file(t, "/workspace/empty", ""), environment.Completed, 0, nil)
	if got := contents(t, b.workspace.Dir()); got != "a/b=content empty=" {
		t.Errorf("got %s", got)
	}
	for path, cause := range map[string]error{
		"/workspace": workspace.ErrPath, "a": workspace.ErrPath, "/etc/x": workspace.ErrPath, "/workspace/../x": workspace.ErrPath,
		"/workspace/a": workspace.ErrDirectory, "/workspace/a/b/c": workspace.ErrNotDirectory,
	} {
		want(t, path, b.file(t, path, "x"), environment.Rejected, 0, cause)
	}
}

// wire 3.8.2
func TestFinalizeFreezes(t *testing.T) {
	t.Parallel()
	b := newBench(t, systemPath)
	want(t, "skill", b.skill(t, t.Context(), "Reader", tarOf(entry{name: "SKILL.md"})), environment.Completed, 0, nil)
	want(t, "file", b.file(t, "/workspace/src/x", ""), environment.Completed, 0, nil)
	if _, done := b.Capabilities(); done {
		t.Error("finalized before Finalize")
	}
	sources := environment.Sources{
		Skills:      []environment.Capability{{Name: "Reader", Description: "reads"}},
		Directories: []string{"/workspace", "/workspace/src", b.workspace.Dir() + "/src", b.dir + "/home"},
	}
	want(t, "finalize", b.Finalize(t.Context(), sources), environment.Completed, 0, nil)
	b.reopen(t, systemPath)
	got, done := b.Capabilities()
	root := b.workspace.Dir()
	if !done || len(got.Skills) != 1 || got.Skills[0].Description != "reads" ||
		!slices.Equal(got.Directories, []string{root, root + "/src", root + "/src", b.dir + "/home"}) {
		t.Errorf("after a restart: got %+v, %v", got, done)
	}
	if _, err := os.Stat(filepath.Join(got.Skills[0].Folder, "SKILL.md")); err != nil {
		t.Errorf("folder of the skill: %v", err)
	}
	for what, outcome := range map[string]environment.Outcome{
		"configure": b.Configure(t.Context(), map[string]string{"A": "b"}),
		"setup":     b.Setup(t.Context(), "touch ran", ""),
		"npm":       b.Npm(t.Context(), []string{"x"}),
		"python":    b.Python(t.Context(), []string{"x"}),
		"file":      b.file(t, "/workspace/late", ""),
		"skill":     b.skill(t, t.Context(), "late", tarOf(entry{name: "x"})),
		"finalize":  b.Finalize(t.Context(), sources),
	} {
		want(t, what, outcome, environment.Rejected, 0, environment.ErrFinalized)
	}
	if got := contents(t, root); got != "src/x=" {
		t.Errorf("workspace: got %s, want no late change", got)
	}
}

func TestFinalizeWantsWhatIsThere(t *testing.T) {
	t.Parallel()
	b := newBench(t, systemPath)
	put(t, filepath.Join(b.workspace.Dir(), "file"), "", 0o644)
	for _, name := range []string{filepath.Join(b.workspace.Dir(), "link"), filepath.Join(b.dir, "link")} {
		if err := os.Symlink("/etc", name); err != nil {
			t.Fatal(err)
		}
	}
	for what, sources := range map[string]environment.Sources{
		"a skill":             {Skills: []environment.Capability{{Name: "none", Description: "d"}}},
		"a plugin":            {Plugins: []environment.Capability{{Name: "none", Description: "d"}}},
		"/etc":                {Directories: []string{"/etc"}},
		"missing":             {Directories: []string{"/workspace/missing"}},
		"a file":              {Directories: []string{"/workspace/file"}},
		"a link":              {Directories: []string{"/workspace/link"}},
		"a link of its own":   {Directories: []string{b.dir + "/link"}},
		"beside":              {Directories: []string{b.workspace.Dir() + "-beside"}},
		"out and in again":    {Directories: []string{b.dir + "/../bound"}},
		"relative":            {Directories: []string{"home"}},
		"too many":            {Directories: slices.Repeat([]string{"/workspace"}, 51)},
		"not all of them":     {Directories: []string{"/workspace", "/etc"}},
		"a folder as a skill": {Skills: []environment.Capability{{Name: "..", Description: "d"}}},
	} {
		want(t, what, b.Finalize(t.Context(), sources), environment.Rejected, 0, environment.ErrRefused)
	}
	want(t, "nothing", b.Finalize(t.Context(), environment.Sources{}), environment.Completed, 0, nil)
}

func TestDamagedFilesAreRefusedWithoutTheirContent(t *testing.T) {
	t.Parallel()
	b := newBench(t, systemPath)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(b.dir, "env.json"), `{"KEY": canary`, 0o600)
	_, err := environment.New(environment.Config{Dir: b.dir, Workspace: b.workspace})
	if err == nil || strings.Contains(err.Error(), "canary") || !strings.Contains(err.Error(), "env.json") {
		t.Errorf("got %v, want a refusal that names env.json alone", err)
	}
}

// installForEver installs one skill after the other, and says so each time.
func installForEver(e *environment.Environment) error {
	for i := 0; ; i++ {
		body, err := archiveBody(e, manyFiles())
		if err != nil {
			return err
		}
		outcome := e.Skill(context.Background(), body, fmt.Sprint(i), "does")
		if outcome.Err != nil {
			return outcome.Err
		}
		body.Discard()
		fmt.Println(i)
	}
}

func manyFiles() []byte {
	var entries []entry
	for i := range 30 {
		entries = append(entries, entry{name: fmt.Sprintf("d%d/file", i), content: make([]byte, 10_000)})
	}
	return tarOf(entries...)
}

// A daemon that is killed while it unpacks leaves whole skills and nothing else to the next one.
func TestKillLeavesWholeSkills(t *testing.T) {
	t.Parallel()
	for round := range 4 {
		dir := t.TempDir()
		child, lines := startDaemon(t, dir, "install")
		acknowledged := 0
		for acknowledged < 2+round && lines.Scan() {
			acknowledged++
		}
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
			acknowledged++
		}
		_ = child.Wait() // killed
		wholeSkills(t, dir, acknowledged)
	}
}

func wholeSkills(t *testing.T, dir string, acknowledged int) {
	t.Helper()
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	e, err := environment.New(environment.Config{Dir: filepath.Join(dir, "e"), Workspace: w})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	skills, err := os.ReadDir(filepath.Join(dir, "e", "skills"))
	if err != nil || len(skills) < acknowledged || len(skills) > acknowledged+1 {
		t.Errorf("got %d skills, %v; want %d or one more", len(skills), err, acknowledged)
	}
	for _, skill := range skills {
		if files := contents(t, filepath.Join(dir, "e", "skills", skill.Name(), "files")); strings.Count(files, "=") != 30 {
			t.Errorf("skill %s: got %d files, want 30", skill.Name(), strings.Count(files, "="))
		}
	}
}
