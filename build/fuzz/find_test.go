package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestTargetsOfNamesFuzzFunctionsOnly(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, source string
		want         []string
	}{
		{"two targets", "func FuzzA(f *testing.F) {}\nfunc FuzzB(f *testing.F) {}", []string{"FuzzA", "FuzzB"}},
		{"a test and a helper", "func TestA(t *testing.T) {}\nfunc FuzzHelper(t *testing.T) {}", nil},
		{"a method", "type s struct{}\nfunc (s) FuzzA(f *testing.F) {}", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "x_test.go")
			if err := os.WriteFile(file, []byte("package x\n\nimport \"testing\"\n\n"+tc.source+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := targetsOf(file)
			if err != nil {
				t.Fatalf("targetsOf: got %v, want no error", err)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
