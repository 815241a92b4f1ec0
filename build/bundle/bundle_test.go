package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// code-style H20: a committed bundle is what its sources give.
func TestBundlesAreCurrent(t *testing.T) {
	t.Parallel()
	if err := run("", true); err != nil {
		t.Error(err)
	}
}

// A bundle that is not current is named, and what to do about it is said.
func TestStaleBundleIsNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "static"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "static", "page.js"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := compare(dir, map[string][]byte{"page.js": []byte("new"), "theme.js": []byte("new")})
	for _, part := range []string{"static/page.js", "static/theme.js", "go run ./build/bundle"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("stale bundle: got %v, want it to name %s", err, part)
		}
	}
}

// A vendored file that differs from what was published stops the build.
func TestChangedVendorFileIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "crelt"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"MANIFEST.txt": "# comment\ncrelt 1.0.7 index.js 00\n", "crelt/index.js": "changed"} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := verifyVendor(dir); err == nil || !strings.Contains(err.Error(), "expected sha256 00") {
		t.Errorf("changed file: got %v, want an error with both digests", err)
	}
}

// Every vendored package carries its licence, and the served licence text names each.
func TestLicencesAreKept(t *testing.T) {
	t.Parallel()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "frontend", "vendor")
	list, err := readManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := licenceText(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range list {
		if !strings.Contains(string(text), v.name+" "+v.version) {
			t.Errorf("licences: got none of %s %s, want it", v.name, v.version)
		}
	}
}
