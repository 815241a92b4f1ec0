package environment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"parley/daemon/workspace"
)

// venvMark is the file that says that the virtual environment was made to its end.
const venvMark = "parley-venv"

// Setup runs a shell command in the folder that cwd means, "/workspace" or a path below it; "" is the workspace (wire
// 3.8.3). The folder must exist and be reached without a link.
func (e *Environment) Setup(ctx context.Context, command, cwd string) Outcome {
	if err := e.admit(ctx); err != nil {
		return outcomeOf(fmt.Errorf("setup: %w", err))
	}
	if command == "" || strings.Contains(command, "\x00") {
		return outcomeOf(fmt.Errorf("setup: %w: expected a command without NUL", ErrRefused))
	}
	dir, err := e.workingFolder(cwd)
	if err != nil {
		return outcomeOf(fmt.Errorf("setup in %q: %w", cwd, err))
	}
	program, arguments := shell(command)
	return e.run(ctx, dir, program, arguments...)
}

func (e *Environment) workingFolder(cwd string) (string, error) {
	if cwd == "" {
		return e.workspace.Dir(), nil
	}
	relative, err := workspace.LogicalFolder(cwd)
	if err != nil {
		return "", err
	}
	dir, err := e.workspace.Folder(relative)
	if errors.Is(err, workspace.ErrNotFound) {
		return "", fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return dir, err
}

// Npm installs packages for the Environment alone; their programs are on the PATH of later steps.
func (e *Environment) Npm(ctx context.Context, packages []string) Outcome {
	if err := e.admitPackages(ctx, packages); err != nil {
		return outcomeOf(fmt.Errorf("install npm packages: %w", err))
	}
	arguments := append([]string{"install", "--prefix", filepath.Join(e.dir, "npm"), "--no-audit", "--no-fund", "--"}, packages...)
	return e.run(ctx, e.workspace.Dir(), "npm", arguments...)
}

// Python installs packages into the Environment's own virtual environment, made at the first use; its programs are on
// the PATH of later steps.
func (e *Environment) Python(ctx context.Context, packages []string) Outcome {
	if err := e.admitPackages(ctx, packages); err != nil {
		return outcomeOf(fmt.Errorf("install python packages: %w", err))
	}
	if outcome := e.makeVenv(ctx); outcome.State != Completed {
		return outcome
	}
	arguments := append([]string{"-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--"}, packages...)
	return e.run(ctx, e.workspace.Dir(), filepath.Join(e.dir, "python", venvPrograms, "python"), arguments...)
}

func (e *Environment) makeVenv(ctx context.Context) Outcome {
	mark := filepath.Join("python", venvMark)
	if _, err := e.root.Lstat(mark); err == nil {
		return Outcome{State: Completed}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return outcomeOf(fmt.Errorf("look at the virtual environment: %w", err))
	}
	outcome := e.run(ctx, e.workspace.Dir(), pythonProgram, "-m", "venv", filepath.Join(e.dir, "python"))
	if outcome.State != Completed {
		return outcome
	}
	if err := writeFile(e.root, mark, nil, 0); err != nil {
		return outcomeOf(fmt.Errorf("mark the virtual environment: %w", err))
	}
	return outcome
}

func (e *Environment) admitPackages(ctx context.Context, packages []string) error {
	if err := e.admit(ctx); err != nil {
		return err
	}
	if len(packages) == 0 {
		return fmt.Errorf("%w: expected at least one package", ErrRefused)
	}
	for _, name := range packages {
		if name == "" || strings.HasPrefix(name, "-") || strings.ContainsAny(name, "\x00\r\n") {
			return fmt.Errorf("%w: package %q; expected a name that does not begin with - and has no NUL, CR or LF", ErrRefused, name)
		}
	}
	return nil
}

// Environ is the whole environment of a process of this Environment, as NAME=value in the order of names: a closed base,
// the configured variables, and the programs of installed packages first on the PATH. It may hold secrets.
func (e *Environment) Environ() []string {
	all := map[string]string{
		"PATH": e.path,
		"HOME": filepath.Join(e.dir, "home"),
		"LANG": "C.UTF-8",
	}
	maps.Copy(all, systemVariables(filepath.Join(e.dir, "tmp")))
	maps.Copy(all, e.variables)
	all["PATH"] = strings.Join(append(e.programFolders(), all["PATH"]), string(filepath.ListSeparator))
	environ := make([]string, 0, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		environ = append(environ, name+"="+all[name])
	}
	return environ
}

func (e *Environment) programFolders() []string {
	return []string{
		filepath.Join(e.dir, "python", venvPrograms),
		filepath.Join(e.dir, "npm", "node_modules", ".bin"),
	}
}

// find looks for a program as a process of the Environment would; only absolute folders count.
func (e *Environment) find(program string) (string, error) {
	if filepath.IsAbs(program) {
		if path, err := exec.LookPath(program); err == nil {
			return path, nil
		}
		return "", fmt.Errorf("%w: %q", ErrNoProgram, program)
	}
	search := e.path
	if configured, ok := e.variables["PATH"]; ok {
		search = configured
	}
	for _, folder := range append(e.programFolders(), filepath.SplitList(search)...) {
		if !filepath.IsAbs(folder) {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(folder, program)); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%w: %q is in no folder of the PATH; install it, or configure PATH", ErrNoProgram, program)
}
