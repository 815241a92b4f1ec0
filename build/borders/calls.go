package borders

import (
	"go/ast"
	"go/token"
	"strings"
)

// exits finds what ends the process outside a main package; TestMain may hand its status over.
func exits(t *Tree) []string {
	var found []string
	for _, file := range t.Go {
		if file.Syntax.Name.Name == "main" {
			continue
		}
		ast.Inspect(file.Syntax, func(node ast.Node) bool {
			if f, ok := node.(*ast.FuncDecl); ok && f.Name.Name == "TestMain" {
				return false
			}
			if node != nil && (selects(node, "os", "Exit") || isFatalLog(node)) {
				found = append(found, t.at(node, "ends the process"))
			}
			return true
		})
	}
	return found
}

func isFatalLog(node ast.Node) bool {
	return selects(node, "log", "Fatal") || selects(node, "log", "Fatalf") || selects(node, "log", "Fatalln")
}

// sleeps finds time.Sleep in tests. Inside a synctest bubble sleeping moves the bubble's own clock and costs nothing.
func sleeps(t *Tree) []string {
	var found []string
	for _, file := range t.Go {
		if !file.Test {
			continue
		}
		ast.Inspect(file.Syntax, func(node ast.Node) bool {
			if call, ok := node.(*ast.CallExpr); ok && selects(call.Fun, "synctest", "Test") {
				return false
			}
			if node != nil && selects(node, "time", "Sleep") {
				found = append(found, t.at(node, "time.Sleep in a test"))
			}
			return true
		})
	}
	return found
}

// skips finds a test that leaves without a word.
func skips(t *Tree) []string {
	var found []string
	for _, file := range t.Go {
		if !file.Test {
			continue
		}
		ast.Inspect(file.Syntax, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if ok && len(call.Args) == 0 && (selects(call.Fun, "t", "Skip") || selects(call.Fun, "t", "SkipNow")) {
				found = append(found, t.at(call, "skips without a reason"))
			}
			return true
		})
	}
	return found
}

// errorComparison finds == and != against an error value other than nil.
func errorComparison(t *Tree) []string {
	var found []string
	for _, file := range t.Go {
		if file.Generated {
			continue
		}
		ast.Inspect(file.Syntax, func(node ast.Node) bool {
			binary, ok := node.(*ast.BinaryExpr)
			if ok && comparesErrors(binary) {
				found = append(found, t.at(binary, "compares an error with %s", binary.Op))
			}
			return true
		})
	}
	return found
}

func comparesErrors(b *ast.BinaryExpr) bool {
	if b.Op != token.EQL && b.Op != token.NEQ || isNil(b.X) || isNil(b.Y) {
		return false
	}
	return namesError(b.X) || namesError(b.Y)
}

func isNil(expr ast.Expr) bool {
	name, ok := expr.(*ast.Ident)
	return ok && name.Name == "nil"
}

func namesError(expr ast.Expr) bool {
	switch expr := expr.(type) {
	case *ast.Ident:
		return isSentinel(expr.Name)
	case *ast.SelectorExpr:
		return selects(expr, "io", "EOF") || isSentinel(expr.Sel.Name) && strings.HasPrefix(expr.Sel.Name, "Err")
	}
	return false
}
