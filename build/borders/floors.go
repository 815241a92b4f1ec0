package borders

import (
	"fmt"
	"slices"
	"strings"
)

// module is the import path of the tree's root.
const module = "parley"

// room is a package, with everything below it that is no room of its own.
type room struct {
	path  string
	floor int
}

// rooms is the table of ARCHITECTURE.md. A new package gets its line there and here.
func rooms() []room {
	byFloor := [][]string{
		{"runner", "runner/strictjson", "runner/grading", "runner/captured", "runner/identity", "runner/admission", "runner/schema", "runner/cases", "daemon/proto"},
		{"backend/store", "runner/engine", "runner/engine/mock", "daemon/proto/socket", "daemon/harness", "daemon/harness/scripted",
			"daemon/workspace", "daemon/environment"},
		{"runner/attempt", "backend/gateway", "backend/core", "daemon/transport", "daemon/dispatch", "daemon", "daemon/wiretest"},
		{"frontend", "backend/server", "backend/api"},
		{"app", "app/parley", "app/desktop"},
	}
	var all []room
	for floor, paths := range byFloor {
		for _, path := range paths {
			all = append(all, room{path: path, floor: floor})
		}
	}
	return all
}

// runnerOrder is the order inside runner: a package imports only what stands before it.
func runnerOrder() []string {
	return []string{
		"runner/strictjson", "runner", "runner/schema", "runner/cases", "runner/grading", "runner/captured", "runner/identity",
		"runner/admission", "runner/engine", "runner/engine/mock", "runner/attempt",
	}
}

// sideways lists the imports allowed on one floor, apart from runnerOrder, as "importer imported" and the reason.
func sideways() map[string]string {
	return map[string]string{
		"backend/server frontend":                "handlers turn domain values into view structs and write components",
		"backend/core backend/gateway":           "Core acts on the connections that the gateway keeps",
		"daemon/harness/scripted daemon/harness": "an adapter implements the contract",
		"daemon/environment daemon/workspace":    "a step installs files into the workspace",
		"daemon daemon/transport":                "the Runtime is put together from its parts",
		"daemon daemon/dispatch":                 "the Runtime is put together from its parts",
		"app/parley app":                         "a main starts the program",
		"app/desktop app":                        "a main starts the program",
	}
}

// beside lists the folders that stand on no floor, and why.
func beside() map[string]string {
	return map[string]string{
		"build":    "programs of the build and tests about the tree; they may read anything, and nobody imports them",
		"examples": "sample documents as embedded bytes; they import nothing of ours, and anybody may show them",
	}
}

func floors(t *Tree) []string {
	var found []string
	for _, file := range t.Go {
		if file.Test {
			continue // a test may look at its package from any side
		}
		for i, path := range file.Imports() {
			if fault := stepFault(file.Dir(), path); fault != "" {
				found = append(found, t.at(file.Syntax.Imports[i], "%s", fault))
			}
		}
		if _, ok := roomOf(file.Dir()); !ok && besideOf(file.Dir()) == "" {
			found = append(found, t.at(file.Syntax, "package in %q stands on no floor; give it a line in the table", file.Dir()))
		}
	}
	return found
}

// stepFault says what is wrong with dir importing path, "" when nothing is.
func stepFault(dir, path string) string {
	target, ours := strings.CutPrefix(path, module+"/")
	if !ours {
		return ""
	}
	from, to := besideOf(dir), besideOf(target)
	switch {
	case to == "build" && from != "build":
		return fmt.Sprintf("imports %q: nobody imports the build", path)
	case from == "examples":
		return fmt.Sprintf("imports %q: examples import nothing of ours", path)
	case from != "" || to != "":
		return ""
	}
	importer, ok := roomOf(dir)
	imported, known := roomOf(target)
	switch {
	case !ok || !known:
		return "" // reported once, for the package itself
	case inside(dir, "daemon") && inside(target, "backend"), inside(dir, "backend") && inside(target, "daemon") && !inside(target, "daemon/proto"):
		return fmt.Sprintf("imports %q: Core and Runtime share the wire and nothing else", path)
	case inside(dir, "runner") && !inside(target, "runner"):
		return fmt.Sprintf("imports %q: runner is a library and knows nothing of the house", path)
	case mayStep(importer, imported):
		return ""
	}
	return fmt.Sprintf("%s (floor %d) imports %q (floor %d)", importer.path, importer.floor, path, imported.floor)
}

func mayStep(from, to room) bool {
	if from.floor != to.floor {
		return from.floor > to.floor
	}
	if from.path == to.path {
		return true // an inner room and its own room
	}
	if _, ok := sideways()[from.path+" "+to.path]; ok {
		return true
	}
	order := runnerOrder()
	before, after := slices.Index(order, to.path), slices.Index(order, from.path)
	return before >= 0 && after >= 0 && before < after
}

// roomOf gives the innermost room that holds a folder.
func roomOf(dir string) (room, bool) {
	var best room
	for _, r := range rooms() {
		if inside(dir, r.path) && len(r.path) > len(best.path) {
			best = r
		}
	}
	return best, best.path != ""
}

func besideOf(dir string) string {
	for name := range beside() {
		if inside(dir, name) {
			return name
		}
	}
	return ""
}

func inside(dir, parent string) bool {
	return dir == parent || strings.HasPrefix(dir, parent+"/")
}
