package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
)

// target is one fuzz function of one package.
type target struct{ pkg, name string }

// listedPackage is what the search reads of `go list -json`.
type listedPackage struct {
	ImportPath   string
	Dir          string
	TestGoFiles  []string
	XTestGoFiles []string
}

// find lists the targets of the packages that the patterns name, in the order of go list. It reads source and
// compiles nothing: linking every test binary just to ask it for its targets takes minutes on a small machine.
func find(patterns []string) ([]target, error) {
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,TestGoFiles,XTestGoFiles"}, patterns...)...)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list packages: %w", err)
	}
	var targets []target
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p listedPackage
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return targets, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the list of packages: %w", err)
		}
		for _, file := range append(p.TestGoFiles, p.XTestGoFiles...) {
			names, err := targetsOf(filepath.Join(p.Dir, file))
			if err != nil {
				return nil, err
			}
			for _, name := range names {
				targets = append(targets, target{pkg: p.ImportPath, name: name})
			}
		}
	}
}

// targetsOf lists the functions of one file that go test would accept after -fuzz: FuzzX(*testing.F).
func targetsOf(file string) ([]string, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("parse test file: %w", err)
	}
	var names []string
	for _, decl := range parsed.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Fuzz") && takesF(f.Type) {
			names = append(names, f.Name.Name)
		}
	}
	return names, nil
}

func takesF(f *ast.FuncType) bool {
	if len(f.Params.List) != 1 {
		return false
	}
	star, ok := f.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	selector, ok := star.X.(*ast.SelectorExpr)
	return ok && selector.Sel.Name == "F"
}
