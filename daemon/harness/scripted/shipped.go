package scripted

import (
	"embed"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

//go:embed scripts/*.json
var files embed.FS

// Script is one shipped script, as pages and documents show it.
type Script struct {
	Name        string // what harness_config says
	Title       string
	Description string
	Source      string // the whole script as JSON
}

// shippedNames are the scripts in the order in which they are shown.
func shippedNames() []string {
	return []string{
		"hello", "long", "steer", "function", "tools", "subagent", "engine-error",
		"hold-cancel", "fail-prepare", "slow-prepare", "fail-settle", "fail-close",
	}
}

// Scripts lists the shipped scripts. An error says that one of them is broken.
func Scripts() ([]Script, error) {
	var all []Script
	for _, name := range shippedNames() {
		source, err := sourceOf(name)
		if err != nil {
			return nil, err
		}
		read, err := parse("script "+name, source)
		if err != nil {
			return nil, err
		}
		all = append(all, Script{Name: name, Title: read.Title, Description: read.Description, Source: string(source)})
	}
	return all, nil
}

// shipped reads a script by its name.
func shipped(name string) (*script, error) {
	source, err := sourceOf(name)
	if err != nil {
		return nil, err
	}
	return parse("script "+name, source)
}

func sourceOf(name string) (jsontext.Value, error) {
	for _, known := range shippedNames() {
		if known == name {
			return files.ReadFile("scripts/" + name + ".json")
		}
	}
	return nil, fmt.Errorf("read harness_config: there is no script %q; expected one of %s", cut(name, maxShown), strings.Join(shippedNames(), ", "))
}
