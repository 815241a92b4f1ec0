package workspace

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// openNameless makes a file without a name in the file system of folder: a killed process leaves nothing of it. Where
// the file system has no such files, the temporary folder serves.
func openNameless(folder *os.Root) (nameless, error) {
	file, err := folder.OpenFile(".", unix.O_TMPFILE|os.O_RDWR, 0o600)
	if err != nil {
		return openTemporary()
	}
	return nameless{File: file, linkable: true}, nil
}

// link gives the file a name in folder, and fails if the name is taken. It can also fail where folder lies in another
// file system or /proc is missing.
func (n nameless) link(folder *os.Root, name string) error {
	if !n.linkable {
		return unix.ENOTSUP
	}
	handle, err := folder.Open(".")
	if err != nil {
		return err
	}
	defer handle.Close() // read-only
	return control(handle, func(into int) error {
		return control(n.File, func(from int) error {
			return unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", from), into, name, unix.AT_SYMLINK_FOLLOW)
		})
	})
}

func control(file *os.File, use func(fd int) error) error {
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var useErr error
	if err := raw.Control(func(fd uintptr) { useErr = use(int(fd)) }); err != nil {
		return err
	}
	return useErr
}
