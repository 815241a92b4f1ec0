//go:build !linux

package environment

import (
	"errors"
	"io/fs"
	"os"
)

// syncTree makes every file below the folder safe on disk.
func syncTree(folder *os.Root) error {
	return fs.WalkDir(folder.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		file, err := folder.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		return errors.Join(file.Sync(), file.Close())
	})
}
