package captured

import "parley/runner"

// FieldPaths lists every field of the two tables, so that a test can demand a case for each.
func FieldPaths(p runner.Profile) (eval, task []string) {
	a := &admission{profile: p}
	return fieldPaths(nil, a.evalFields()), fieldPaths(nil, a.taskFields())
}

func fieldPaths(above *path, fields []field) []string {
	var paths []string
	for _, f := range fields {
		if len(f.fields) > 0 {
			paths = append(paths, fieldPaths(above.below(f.name), f.fields)...)
			continue
		}
		paths = append(paths, above.below(f.name).String())
	}
	return paths
}
