package frontend_test

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func readStyle(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("style", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

var comment = regexp.MustCompile(`(?s)/\*.*?\*/`)

// ux-anchors M2: no raw colour outside the token file, in no style and in no script.
func TestColoursComeFromTokens(t *testing.T) {
	t.Parallel()
	raw := regexp.MustCompile(`(?i)(#[0-9a-f]{3,8}\b[^"-]|\b(rgb|rgba|hsl|hsla|oklch|color-mix)\(|:\s*(white|black|red|green|blue|gr[ae]y)\s*[;}])`)
	styles, _ := filepath.Glob("style/*.css")
	scripts, _ := filepath.Glob("script/*.js")
	if len(styles) < 5 || len(scripts) < 5 {
		t.Fatalf("files: got %d styles and %d scripts, want all of them", len(styles), len(scripts))
	}
	for _, file := range append(styles, scripts...) {
		if filepath.Base(file) == "tokens.css" {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := comment.ReplaceAllString(string(data), "")
		if filepath.Ext(file) == ".css" {
			for _, found := range raw.FindAllString(text, -1) {
				t.Errorf("%s: got raw colour %q, want a token", file, found)
			}
			continue
		}
		if found := regexp.MustCompile(`["'\x60 ]#[0-9a-fA-F]{6}\b`).FindString(text); found != "" {
			t.Errorf("%s: got raw colour %q, want a token", file, found)
		}
	}
}

// Every variable that a style uses is a token, or is set in the style itself.
func TestTokensExist(t *testing.T) {
	t.Parallel()
	known := map[string]bool{"--d": true, "--right": true}
	for name := range maps.All(declarations(readStyle(t, "tokens.css"))) {
		known[name] = true
	}
	styles, _ := filepath.Glob("style/*.css")
	for _, file := range styles {
		for _, m := range regexp.MustCompile(`var\((--[a-z0-9-]+)`).FindAllStringSubmatch(readStyle(t, filepath.Base(file)), -1) {
			if !known[m[1]] {
				t.Errorf("%s: got unknown token %s", file, m[1])
			}
		}
	}
}

func declarations(css string) map[string]string {
	all := map[string]string{}
	for _, m := range regexp.MustCompile(`(--[a-z0-9-]+):\s*([^;]+);`).FindAllStringSubmatch(css, -1) {
		all[m[1]] = m[2]
	}
	return all
}

// themes are the tokens as each theme sees them: light, dark by the system, dark by choice.
func themes(t *testing.T) (light, system, chosen map[string]string) {
	t.Helper()
	css := readStyle(t, "tokens.css")
	head, rest, found := strings.Cut(css, "@media (prefers-color-scheme: dark)")
	bySystem, byChoice, found2 := strings.Cut(rest, `:root[data-theme="light"]`)
	if !found || !found2 {
		t.Fatal("tokens.css: the blocks of the themes were not found")
	}
	return declarations(head), declarations(bySystem), declarations(byChoice)
}

// The dark values stand twice, for the system's preference and for a choice; both are the same.
func TestDarkBlocksAreEqual(t *testing.T) {
	t.Parallel()
	light, system, chosen := themes(t)
	if len(system) < 20 || !maps.Equal(system, chosen) {
		t.Errorf("dark blocks: got %d and %d values or different ones, want the same", len(system), len(chosen))
	}
	for name := range system {
		if light[name] == "" {
			t.Errorf("dark token %s: got no light value, want one", name)
		}
	}
}

// pair is a colour on a ground and the contrast it needs.
type pair struct {
	colour, ground string
	least          float64
}

func pairs() []pair {
	const text, control = 4.5, 3.0
	var all []pair
	add := func(least float64, colours, grounds string) {
		for _, c := range strings.Fields(colours) {
			for _, g := range strings.Fields(grounds) {
				all = append(all, pair{"--" + c, "--" + g, least})
			}
		}
	}
	add(text, "text", "canvas surface sunken raised hover accent-soft ok-soft problem-soft caution-soft neutral-soft paid-soft")
	add(text, "text-muted", "canvas surface sunken raised hover")
	add(text, "accent-text", "surface sunken raised accent-soft canvas")
	add(text, "on-accent", "accent accent-hover")
	add(text, "ok problem caution neutral paid", "surface sunken")
	add(text, "j-key j-string j-number j-literal j-punct", "surface sunken")
	for _, tone := range []string{"ok", "problem", "caution", "neutral", "paid"} {
		add(text, tone, tone+"-soft")
	}
	add(control, "line-strong focus accent", "surface sunken canvas raised")
	add(control, "focus", "accent-soft hover")
	return all
}

// ux-anchors M4: 4.5:1 for text and 3:1 for controls and focus rings, in both themes.
func TestContrast(t *testing.T) {
	t.Parallel()
	light, dark, _ := themes(t)
	for name, tokens := range map[string]map[string]string{"light": light, "dark": dark} {
		for _, p := range pairs() {
			got := contrast(luminance(t, tokens[p.colour]), luminance(t, tokens[p.ground]))
			if got < p.least {
				t.Errorf("%s: %s on %s: got %.2f, want at least %.1f", name, p.colour, p.ground, got, p.least)
			}
		}
	}
}

func contrast(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }

// luminance is the relative luminance of WCAG 2.2 of a colour written #rrggbb.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
	if err != nil || len(hex) != 7 {
		t.Fatalf("colour %q: want #rrggbb", hex)
	}
	linear := func(v uint64) float64 {
		c := float64(v&255) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(n>>16) + 0.7152*linear(n>>8) + 0.0722*linear(n)
}

// A style that nothing on a page can have is dead.
func TestStylesAreUsed(t *testing.T) {
	t.Parallel()
	var sources strings.Builder
	for _, pattern := range []string{"*.templ", "*.go", "script/*.js"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, "_templ.go") {
				continue
			}
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sources.Write(data)
		}
	}
	used := map[string]bool{}
	for _, word := range regexp.MustCompile(`[\w-]+`).FindAllString(sources.String(), -1) {
		used[word] = true
	}
	foreign := regexp.MustCompile(`^(cm-|tok-|d[0-8]$)`) // the editor's own classes, and depths made from a number
	styles, _ := filepath.Glob("style/*.css")
	for _, file := range styles {
		selectors := regexp.MustCompile(`\{[^{}]*\}`).ReplaceAllString(comment.ReplaceAllString(readStyle(t, filepath.Base(file)), ""), "{}")
		for _, m := range regexp.MustCompile(`\.([a-zA-Z][\w-]*)`).FindAllStringSubmatch(selectors, -1) {
			if !used[m[1]] && !foreign.MatchString(m[1]) && m[1] != "css" {
				t.Errorf("%s: got class %s that no page has", file, m[1])
			}
		}
	}
}

// code-style H3: no source file over 400 lines.
func TestSourcesStayShort(t *testing.T) {
	t.Parallel()
	var long []string
	for _, pattern := range []string{"style/*.css", "script/*.js", "*.templ"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(data), "\n"); n > 400 {
				long = append(long, fmt.Sprintf("%s: %d", file, n))
			}
		}
	}
	slices.Sort(long)
	if len(long) > 0 {
		t.Errorf("files over 400 lines: got %v, want none", long)
	}
}
