//go:build unix

package workspace_test

import (
	"path/filepath"
	"syscall"
	"testing"
)

// special makes a pipe and a socket in dir.
func special(t *testing.T, dir string) {
	t.Helper()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mknod(filepath.Join(dir, "socket"), syscall.S_IFSOCK|0o600, 0); err != nil {
		t.Fatal(err)
	}
}
