package workspace

import (
	"fmt"
	"os"
)

// nameless is an open file that no folder of the workspace shows.
type nameless struct {
	*os.File
	linkable bool   // it lies in the workspace's file system and can be given a name there
	leftover string // its name in the temporary folder where an open file cannot lose its name; "" otherwise
}

// openTemporary makes the file in the system's temporary folder; installing it then copies.
func openTemporary() (nameless, error) {
	file, err := os.CreateTemp("", "parley-body-*")
	if err != nil {
		return nameless{}, fmt.Errorf("create temporary file: %w", err)
	}
	if os.Remove(file.Name()) == nil {
		return nameless{File: file}, nil
	}
	return nameless{File: file, leftover: file.Name()}, nil
}

// discard may be called twice. Nobody can act on its failures: the bytes are no longer wanted.
func (n nameless) discard() {
	_ = n.Close()
	if n.leftover != "" {
		_ = os.Remove(n.leftover)
	}
}
