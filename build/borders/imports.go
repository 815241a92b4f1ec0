package borders

import (
	"go/build/constraint"
	"slices"
	"strings"
)

// foreign is a package of others that only some rooms may know.
type foreign struct {
	prefix string
	rooms  []string
	tests  bool   // any test may import it
	tag    string // a build tag the file must carry, "" for none
	reason string
}

func foreignTable() []foreign {
	return []foreign{
		{
			prefix: "github.com/mattn/go-sqlite3", rooms: []string{"backend/store", "build/bench"},
			reason: "only the store knows the database; the benchmark also drives it bare, as the baseline",
		},
		{
			prefix: "database/sql", rooms: []string{"backend/store", "build/bench"},
			reason: "only the store knows SQL; the benchmark also drives it bare, as the baseline",
		},
		{
			prefix: "github.com/wailsapp/", rooms: []string{"app/desktop"}, tag: "desktop",
			reason: "everything but the window builds and tests without desktop libraries",
		},
		{
			prefix: "github.com/gorilla/websocket", rooms: []string{"daemon/proto/socket", "build/bench"}, tests: true,
			reason: "one place holds the rules of the socket; tests and the benchmark also play bare peers",
		},
		{
			prefix: "github.com/labstack/echo", rooms: []string{"backend/server", "build/bench"},
			reason: "services and pages know nothing of HTTP routing; the benchmark drives it bare, as the baseline",
		},
	}
}

func foreignImports(t *Tree) []string {
	var found []string
	for _, file := range t.Go {
		for i, path := range file.Imports() {
			for _, f := range foreignTable() {
				if strings.HasPrefix(path, f.prefix) && !f.allows(file) {
					found = append(found, t.at(file.Syntax.Imports[i], "imports %q: %s", path, f.reason))
				}
			}
		}
	}
	return found
}

func (f foreign) allows(file *GoFile) bool {
	if f.tests && file.Test {
		return true
	}
	in := slices.ContainsFunc(f.rooms, func(room string) bool { return inside(file.Dir(), room) })
	return in && (f.tag == "" || needsTag(file, f.tag))
}

// needsTag says that the file is left out of a build without the tag.
func needsTag(file *GoFile, tag string) bool {
	for _, group := range file.Syntax.Comments {
		for _, comment := range group.List {
			if !constraint.IsGoBuild(comment.Text) {
				continue
			}
			expr, err := constraint.Parse(comment.Text)
			if err != nil {
				return false
			}
			return !expr.Eval(func(name string) bool { return name != tag })
		}
	}
	return false
}
