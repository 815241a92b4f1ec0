package data

import (
	"fmt"
	"os"
	"path/filepath"
)

// RuntimeProfile reads the profile of the lab's own Runtime as it was kept; fs.ErrNotExist when there is none.
func (f Folder) RuntimeProfile() ([]byte, error) {
	content, err := os.ReadFile(f.runtimeFile())
	if err != nil {
		return nil, fmt.Errorf("read the profile of the lab's own runtime: %w", err)
	}
	return content, nil
}

// KeepRuntimeProfile keeps it, whole or not at all, for its owner only.
func (f Folder) KeepRuntimeProfile(content []byte) error {
	if err := os.MkdirAll(filepath.Dir(f.runtimeFile()), folderMode); err != nil {
		return fmt.Errorf("create credentials: %w", err)
	}
	return writeWhole(f.runtimeFile(), content)
}

func (f Folder) runtimeFile() string { return filepath.Join(f.path, "credentials", "runtime.json") }

// Workspace makes a folder for a workspace of the lab's own and gives its path.
func (f Folder) Workspace(name string) (string, error) {
	path := filepath.Join(f.path, "workspaces", name)
	if err := os.MkdirAll(path, folderMode); err != nil {
		return "", fmt.Errorf("create workspace: %w", err)
	}
	return path, nil
}

// Runtime is the folder in which a Runtime keeps what belongs to its Environments; it is made if missing.
func (f Folder) Runtime(id string) (string, error) {
	path := filepath.Join(f.path, "runtimes", id)
	if err := os.MkdirAll(path, folderMode); err != nil {
		return "", fmt.Errorf("create the runtime's folder: %w", err)
	}
	return path, nil
}
