//go:build unix

package workspace_test

import (
	"bytes"
	"testing"

	"parley/daemon/workspace"
)

// BenchmarkWrite50MiB is the Runtime's share of one transfer of the largest size: 800 chunks, digest, fsync, rename.
func BenchmarkWrite50MiB(b *testing.B) {
	w, err := workspace.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	data := bytes.Repeat([]byte("0123456789abcdef"), 50<<20/16)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if err := write(b.Context(), w, "file", data); err != nil {
			b.Fatal(err)
		}
	}
}
