// Package examples holds the sample documents that ship with the program, stored once: the lab page loads them, the
// command line's help names them, and tests run them.
//
// Anybody may read them; a caller gets its own copy of the bytes. The package knows nothing about what the documents
// mean and reads no file at run time.
package examples

import "embed"

//go:embed runner/*.json
var runnerFiles embed.FS

// Runner gives the exact text of a sample request by its name without ".json". A name that is not there gives false.
func Runner(name string) ([]byte, bool) {
	data, err := runnerFiles.ReadFile("runner/" + name + ".json")
	return data, err == nil
}

// RunnerNames lists the sample requests in alphabetical order.
func RunnerNames() []string {
	entries, err := runnerFiles.ReadDir("runner")
	if err != nil {
		return nil // the folder is part of the program
	}
	var names []string
	for _, e := range entries {
		name := e.Name()
		names = append(names, name[:len(name)-len(".json")])
	}
	return names
}
