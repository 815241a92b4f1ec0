//go:build unix

package environment

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock is false when another open file of that name has the lock.
func tryLock(file *os.File) (bool, error) {
	err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// unlock lets go of the lock at once. Closing alone would not while a child that is being started still has the file.
func unlock(file *os.File) error { return unix.Flock(int(file.Fd()), unix.LOCK_UN) }
