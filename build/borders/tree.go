package borders

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// File is one file of the tree, with a slash-separated path from its root.
type File struct {
	Path string
	Text string
}

// GoFile is a parsed Go file.
type GoFile struct {
	File
	Syntax    *ast.File
	Test      bool // a _test.go file
	Generated bool // carries the standard "Code generated … DO NOT EDIT." line
}

// Dir is the folder of the file, "." for the root.
func (f *GoFile) Dir() string { return path.Dir(f.Path) }

// Imports lists the import paths of the file.
func (f *GoFile) Imports() []string {
	var paths []string
	for _, spec := range f.Syntax.Imports {
		paths = append(paths, strings.Trim(spec.Path.Value, `"`))
	}
	return paths
}

// Tree is the source tree, read once.
type Tree struct {
	Files []File
	Go    []*GoFile
	set   *token.FileSet
}

// Load reads the tree below the root of fsys. Build results, hidden folders and packages of others are left out.
func Load(fsys fs.FS) (*Tree, error) {
	tree := &Tree{set: token.NewFileSet()}
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if ignored(name) {
				return fs.SkipDir
			}
			return nil
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		return tree.add(File{Path: name, Text: string(text)})
	})
	if err != nil {
		return nil, fmt.Errorf("load source tree: %w", err)
	}
	return tree, nil
}

// ignored names the folders that are not ours: results, caches, vendored packages.
func ignored(dir string) bool {
	if dir == "." || dir == ".ci" {
		return false
	}
	base := path.Base(dir)
	return strings.HasPrefix(base, ".") || slices.Contains([]string{"vendor", "node_modules"}, base) || dir == "bin"
}

func (t *Tree) add(file File) error {
	t.Files = append(t.Files, file)
	if path.Ext(file.Path) != ".go" || strings.Contains(file.Path, "testdata/") {
		return nil
	}
	syntax, err := parser.ParseFile(t.set, file.Path, file.Text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("parse Go file: %w", err)
	}
	t.Go = append(t.Go, &GoFile{
		File:      file,
		Syntax:    syntax,
		Test:      strings.HasSuffix(file.Path, "_test.go"),
		Generated: ast.IsGenerated(syntax),
	})
	return nil
}

// text gives the content of one file of the tree, "" when there is none.
func (t *Tree) text(name string) string {
	for _, f := range t.Files {
		if f.Path == name {
			return f.Text
		}
	}
	return ""
}

// at begins a finding with the place of a piece of syntax.
func (t *Tree) at(node ast.Node, format string, args ...any) string {
	return t.atPos(node.Pos(), format, args...)
}

func (t *Tree) atPos(pos token.Pos, format string, args ...any) string {
	place := t.set.Position(pos)
	return fmt.Sprintf("%s:%d: ", place.Filename, place.Line) + fmt.Sprintf(format, args...)
}

// selects says that the node is name.member, such as time.Sleep.
func selects(node ast.Node, name, member string) bool {
	selector, ok := node.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	base, ok := selector.X.(*ast.Ident)
	return ok && base.Name == name && selector.Sel.Name == member
}
