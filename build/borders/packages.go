package borders

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"
)

// Bounds of a package comment in lines (H1) and of a file in lines (H3).
const (
	minPackageComment = 3
	maxPackageComment = 15
	maxFileLines      = 400
)

// longFiles lists the files that may be longer than maxFileLines, with the reason.
func longFiles() map[string]string {
	return map[string]string{}
}

// bannedNames are package names that say nothing about their contents.
func bannedNames() []string {
	return []string{"util", "utils", "common", "helper", "helpers", "tools", "models", "types", "misc"}
}

func packageComments(t *Tree) []string {
	best := map[string]int{} // lines of the longest package comment, by folder
	sample := map[string]*GoFile{}
	for _, file := range t.Go {
		dir := file.Dir()
		sample[dir] = file
		if doc := file.Syntax.Doc; doc != nil {
			best[dir] = max(best[dir], commentLines(t, doc))
		}
	}
	var found []string
	for dir, file := range sample {
		if n := best[dir]; n < minPackageComment || n > maxPackageComment {
			found = append(found, t.at(file.Syntax.Name, "package comment of %q: got %d lines, want %d to %d", dir, n, minPackageComment, maxPackageComment))
		}
	}
	slices.Sort(found)
	return found
}

func commentLines(t *Tree, doc *ast.CommentGroup) int {
	return t.set.Position(doc.End()).Line - t.set.Position(doc.Pos()).Line + 1
}

func packageNames(t *Tree) []string {
	var found []string
	for _, file := range t.Go {
		name := strings.TrimSuffix(file.Syntax.Name.Name, "_test")
		if slices.Contains(bannedNames(), name) || slices.Contains(bannedNames(), path.Base(file.Dir())) {
			found = append(found, t.at(file.Syntax.Name, "package %q in %q", name, file.Dir()))
		}
	}
	return found
}

func fileLength(t *Tree) []string {
	var found []string
	for _, file := range t.Go {
		lines := strings.Count(file.Text, "\n")
		_, listed := longFiles()[file.Path]
		if file.Test || file.Generated || listed || lines <= maxFileLines {
			continue
		}
		found = append(found, fmt.Sprintf("%s:%d: got %d lines, want at most %d", file.Path, maxFileLines+1, lines, maxFileLines))
	}
	return found
}
