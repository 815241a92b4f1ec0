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
