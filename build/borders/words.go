package borders

import (
	"bytes"
	"fmt"
	"go/format"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// unwanted is text that must not stand in the tree.
type unwanted struct {
	pattern *regexp.Regexp
	what    string
	prose   bool // looked for in sources and documents only, not in data and bundles
}

func unwantedTable() []unwanted {
	return []unwanted{
		{pattern: regexp.MustCompile(`(^|[^\w.-])/(work|farm|root)/`), what: "a path of one machine"},
		{pattern: regexp.MustCompile(`\b(registry\.npmjs|proxy\.golang|sum\.golang|deb\.debian)\.org`), what: "a registry host"},
		{pattern: regexp.MustCompile(`\b(TOD[O]|FIXM[E]|XX[X])\b`), what: "an open end", prose: true},
	}
}

func words(t *Tree) []string {
	var found []string
	table := unwantedTable()
	for _, file := range t.Files {
		if !utf8.ValidString(file.Text) {
			continue // pictures
		}
		for number, line := range strings.Split(file.Text, "\n") {
			for _, u := range table {
				if u.pattern.MatchString(line) && (!u.prose || isProse(file.Path)) {
					found = append(found, fmt.Sprintf("%s:%d: names %s", file.Path, number+1, u.what))
				}
			}
		}
	}
	return found
}

// isProse says that people write and read the file as it is.
func isProse(name string) bool {
	return slices.Contains([]string{".go", ".md", ".templ", ".sh", ".sql"}, path.Ext(name)) && !strings.Contains(name, "testdata/")
}

func formatted(t *Tree) []string {
	var found []string
	for _, file := range t.Go {
		want, err := format.Source([]byte(file.Text))
		if err != nil {
			found = append(found, fmt.Sprintf("%s:1: %v", file.Path, err))
			continue
		}
		if !bytes.Equal(want, []byte(file.Text)) {
			found = append(found, fmt.Sprintf("%s:1: run gofmt -w on it", file.Path))
		}
	}
	return found
}
