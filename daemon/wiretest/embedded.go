package wiretest

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:embed scenarios
var files embed.FS

// Scenarios gives every shipped scenario, by name.
func Scenarios() ([]Scenario, error) {
	tree, err := fs.Sub(files, "scenarios")
	if err != nil {
		return nil, fmt.Errorf("read scenarios: %w", err)
	}
	return ReadScenarios(tree)
}

// ReadScenarios reads every scenario file of a folder; its folder openings holds the step lists to begin with.
func ReadScenarios(tree fs.FS) ([]Scenario, error) {
	openings, err := readOpenings(tree)
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(tree, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("read scenarios: %w", err)
	}
	var all []Scenario
	for _, name := range names {
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return nil, fmt.Errorf("read scenario: %w", err)
		}
		s, err := Parse(name, data, openings)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// openingsFolder holds the step lists that scenarios begin with.
const openingsFolder = "openings/"

func readOpenings(tree fs.FS) (map[string][]byte, error) {
	openings := map[string][]byte{}
	names, err := fs.Glob(tree, openingsFolder+"*.yaml")
	if err != nil {
		return nil, fmt.Errorf("read openings: %w", err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return nil, fmt.Errorf("read opening: %w", err)
		}
		openings[strings.TrimSuffix(path.Base(name), ".yaml")] = data
	}
	return openings, nil
}

// Text is a shipped file as it is written.
type Text struct{ File, Text string }

// Texts gives the file of a shipped scenario and, after it, the opening that it begins with; or an opening alone, by
// openings/NAME. False when there is none of that name.
func Texts(name string) ([]Text, bool) {
	scenario, err := files.ReadFile("scenarios/" + name + ".yaml")
	if err != nil {
		return nil, false
	}
	texts := []Text{{name + ".yaml", string(scenario)}}
	for line := range strings.Lines(string(scenario)) {
		opening, begins := strings.CutPrefix(strings.TrimSpace(line), "opening: ")
		if !begins {
			continue
		}
		file := openingsFolder + opening + ".yaml"
		if steps, err := files.ReadFile("scenarios/" + file); err == nil {
			texts = append(texts, Text{file, string(steps)})
		}
	}
	return texts, true
}

// Format explains the format of scenario files, as Markdown.
func Format() string {
	text, err := files.ReadFile("scenarios/README.md")
	if err != nil {
		return "" // the file is part of the program
	}
	return string(text)
}
