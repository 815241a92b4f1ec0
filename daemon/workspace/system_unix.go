//go:build unix

package workspace

import (
	"os"
	"syscall"
)

// openWithoutWaiting keeps the opening of a pipe that was swapped in from waiting for a writer.
const openWithoutWaiting = syscall.O_NONBLOCK

// isFull knows a full disk, a quota and a file-size limit.
func isFull(errno syscall.Errno) bool {
	return errno == syscall.ENOSPC || errno == syscall.EDQUOT || errno == syscall.EFBIG
}

// SyncFolder makes the names of a folder safe on disk.
func SyncFolder(folder *os.Root) (err error) {
	handle, err := folder.Open(".")
	if err != nil {
		return reason(err)
	}
	defer acknowledge(handle, &err)
	if err := handle.Sync(); err != nil {
		return reason(err)
	}
	return nil
}
