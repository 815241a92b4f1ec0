package workspace

import (
	"os"
	"path/filepath"
	"testing"
)

// Where a file cannot be without a name, the temporary folder holds the bytes until they are copied.
func TestBodyInTheTemporaryFolderIsCopied(t *testing.T) {
	t.Parallel()
	w, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	file, err := openTemporary()
	if err != nil {
		t.Fatal(err)
	}
	staged := &Staged{Body: &Body{file: file, size: 7, staged: 7, complete: true}, workspace: w}
	defer staged.Discard()
	if _, err := file.WriteString("content"); err != nil {
		t.Fatal(err)
	}
	if err := staged.Install(t.Context(), "d/file"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(w.Dir(), "d", "file"))
	if err != nil || string(got) != "content" {
		t.Errorf("got %q, %v; want content", got, err)
	}
}
