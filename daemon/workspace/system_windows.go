package workspace

import (
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// openWithoutWaiting: pipes have no names in folders here.
const openWithoutWaiting = 0

// isFull knows a full disk and a quota.
func isFull(errno syscall.Errno) bool {
	switch errno {
	case windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL, windows.ERROR_DISK_QUOTA_EXCEEDED:
		return true
	}
	return false
}

// SyncFolder does nothing: the file system keeps the order of names itself, and folders cannot be flushed.
func SyncFolder(*os.Root) error { return nil }
