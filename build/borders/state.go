package borders

import (
	"go/ast"
	"go/token"
	"strings"
	"unicode"
)

// stateExceptions lists package variables that may be, as "folder.name", with the reason.
func stateExceptions() map[string]string {
	return map[string]string{
		"app.version": "written by the linker alone (-X), which writes variables only",
	}
}

func packageState(t *Tree) []string {
	var found []string
	for _, file := range t.Go {
		if file.Test || file.Generated {
			continue
		}
		for _, decl := range file.Syntax.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil && decl.Name.Name == "init" {
					found = append(found, t.at(decl, "func init"))
				}
			case *ast.GenDecl:
				found = append(found, variables(t, file, decl)...)
			}
		}
	}
	return found
}

func variables(t *Tree, file *GoFile, decl *ast.GenDecl) []string {
	if decl.Tok != token.VAR || embeds(decl.Doc) {
		return nil
	}
	var found []string
	for _, spec := range decl.Specs {
		value := spec.(*ast.ValueSpec) // the only spec of a var declaration
		if embeds(value.Doc) {
			continue
		}
		for i, name := range value.Names {
			_, listed := stateExceptions()[file.Dir()+"."+name.Name]
			if !listed && !constantInSpirit(name.Name, value, i) {
				found = append(found, t.at(name, "var %s", name.Name))
			}
		}
	}
	return found
}

// constantInSpirit allows what Go cannot write as a constant: an interface assertion, an error sentinel, a compiled
// pattern, a value that is computed once and for all.
func constantInSpirit(name string, value *ast.ValueSpec, i int) bool {
	if name == "_" || isSentinel(name) {
		return true
	}
	if i >= len(value.Values) {
		return false
	}
	call, ok := value.Values[i].(*ast.CallExpr)
	return ok && (selects(call.Fun, "regexp", "MustCompile") || selects(call.Fun, "sync", "OnceValue") || selects(call.Fun, "sync", "OnceValues"))
}

// isSentinel says that the name is one of an error value: errX or ErrX.
func isSentinel(name string) bool {
	rest, ok := strings.CutPrefix(strings.ToLower(name[:1])+name[1:], "err")
	return ok && rest != "" && unicode.IsUpper([]rune(rest)[0])
}

func embeds(doc *ast.CommentGroup) bool {
	if doc == nil {
		return false
	}
	for _, comment := range doc.List {
		if strings.HasPrefix(comment.Text, "//go:embed ") {
			return true
		}
	}
	return false
}
