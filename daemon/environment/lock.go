package environment

import (
	"fmt"
	"os"
)

// lockFile is held locked while the Environment is open. It stays when the Environment is closed: removing it would let
// two programs lock two files of one name.
const lockFile = "lock"

// HeldError refuses a folder that is open elsewhere; nothing in it was touched. The operating system holds the lock, so
// it ends with its process however that ends.
type HeldError struct {
	Dir string // the Environment's folder
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("environment folder %q is in use by another Runtime of this Environment; stop that one, or wait until it has ended", e.Dir)
}

// hold locks the folder for this Environment, or gives *HeldError. unlock lets go of it.
func hold(root *os.Root, dir string) (*os.File, error) {
	file, err := root.OpenFile(lockFile, os.O_RDWR|os.O_CREATE, privateFile)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	free, err := tryLock(file)
	if err == nil && free {
		return file, nil
	}
	_ = file.Close() // the refusal is what counts
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	return nil, &HeldError{Dir: dir}
}
