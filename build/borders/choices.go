package borders

import (
	"fmt"
	"path"
	"strings"
)

// choices checks the last column of each table of choices in docs/contracts: a path there exists in the tree, and a
// name after it is spelled in the Go files of that path.
func choices(t *Tree) []string {
	var found []string
	for _, file := range t.Files {
		if path.Dir(file.Path)+"/" != contractDocs {
			continue
		}
		_, section, _ := strings.Cut(file.Text, "Choices of this implementation\n")
		for line := range strings.Lines(section) {
			cells := strings.Split(strings.TrimSpace(line), "|")
			if len(cells) < 3 {
				continue
			}
			if fault := placeFault(t, cells[len(cells)-2]); fault != "" {
				found = append(found, fmt.Sprintf("%s: %s", file.Path, fault))
			}
		}
	}
	return found
}

// placeFault says what is wrong with a place such as `runner/limits.go` `MaxDepth`, "" when nothing is.
func placeFault(t *Tree, place string) string {
	var source string
	for _, match := range quoted.FindAllStringSubmatch(place, -1) {
		word := match[1]
		if strings.Contains(word, "/") || source == "" {
			source = t.sourceOf(word)
			if source == "" {
				return fmt.Sprintf("no Go file at %q", word)
			}
			continue
		}
		if !strings.Contains(source, word) {
			return fmt.Sprintf("%q is not at its place, %s", word, strings.TrimSpace(place))
		}
	}
	return ""
}

// sourceOf joins the Go files that are, or are in, the path.
func (t *Tree) sourceOf(place string) string {
	var all strings.Builder
	for _, file := range t.Go {
		if !file.Test && (file.Path == place || file.Dir() == place) {
			all.WriteString(file.Text)
		}
	}
	return all.String()
}
