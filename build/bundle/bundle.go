package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// entry is one bundle: a source below frontend and the name it gets in static.
type entry struct {
	source string
	target string
	format api.Format
}

func entries() []entry {
	return []entry{
		{"script/theme.js", "theme.js", api.FormatIIFE},
		{"script/page.js", "page.js", api.FormatESModule},
		{"script/runner.js", "runner.js", api.FormatESModule},
		{"style/parley.css", "parley.css", api.FormatDefault},
	}
}

// bundles gives the bytes of every file of static that is made, by name.
func bundles(frontend string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, e := range entries() {
		data, err := build(frontend, e)
		if err != nil {
			return nil, err
		}
		files[e.target] = data
	}
	licences, err := licenceText(filepath.Join(frontend, "vendor"))
	if err != nil {
		return nil, err
	}
	files["licences.txt"] = licences
	return files, nil
}

func build(frontend string, e entry) ([]byte, error) {
	abs, err := filepath.Abs(frontend)
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", frontend, err)
	}
	result := api.Build(api.BuildOptions{
		AbsWorkingDir:     abs,
		EntryPoints:       []string{e.source},
		Outfile:           filepath.Join("static", e.target),
		Bundle:            true,
		Format:            e.format,
		Platform:          api.PlatformBrowser,
		NodePaths:         []string{filepath.Join(abs, "vendor")},
		Target:            api.ES2023,
		Charset:           api.CharsetUTF8,
		MinifySyntax:      true,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		LegalComments:     api.LegalCommentsNone, // licences.txt carries them whole
		Write:             false,
	})
	if len(result.Errors) > 0 {
		text := api.FormatMessages(result.Errors, api.FormatMessagesOptions{Kind: api.ErrorMessage})
		return nil, fmt.Errorf("bundle %s: %s", e.source, strings.Join(text, "\n"))
	}
	return result.OutputFiles[0].Contents, nil
}

func compare(frontend string, files map[string][]byte) error {
	var stale []error
	for _, name := range names(files) {
		have, err := os.ReadFile(filepath.Join(frontend, "static", name))
		if err != nil || !bytes.Equal(have, files[name]) {
			stale = append(stale, fmt.Errorf("frontend/static/%s is not what its sources give; run `go run ./build/bundle`", name))
		}
	}
	return errors.Join(stale...)
}

func write(frontend string, files map[string][]byte) error {
	for _, name := range names(files) {
		if err := os.WriteFile(filepath.Join(frontend, "static", name), files[name], 0o644); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return nil
}

func names(files map[string][]byte) []string {
	list := make([]string, 0, len(files))
	for name := range files {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}
