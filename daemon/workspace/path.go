package workspace

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	maxPathBytes = 4096 // wire 5.2
	maxNameBytes = 255  // wire 5.1
	logicalRoot  = "/workspace"
)

// CheckRelative checks the spelling of a path below the folder (wire 3.10.2): relative, slash separated, no empty, "."
// or ".." element. It is ErrPath otherwise. It does not touch the disk.
func CheckRelative(path string) error {
	if err := checkText(path); err != nil {
		return err
	}
	for element := range strings.SplitSeq(path, "/") {
		switch element {
		case "":
			return fmt.Errorf("%w: %q has an empty element; expected names joined by single slashes", ErrPath, path)
		case ".", "..":
			return fmt.Errorf("%w: %q has the element %q; expected names only", ErrPath, path, element)
		}
	}
	return nil
}

// Logical turns a path of initialization, "/workspace/…", into the relative path it means (wire 3.8.3). It is ErrPath if
// the path is spelled otherwise. It does not touch the disk.
func Logical(path string) (string, error) {
	if err := checkText(path); err != nil {
		return "", err
	}
	relative, ok := strings.CutPrefix(path, logicalRoot+"/")
	if !ok {
		return "", fmt.Errorf("%w: %q; expected it to begin with %q", ErrPath, path, logicalRoot+"/")
	}
	if err := CheckRelative(relative); err != nil {
		return "", err
	}
	return relative, nil
}

// LogicalFolder is Logical for a folder, which may also be "/workspace" itself: the empty relative path.
func LogicalFolder(path string) (string, error) {
	if path == logicalRoot {
		return "", nil
	}
	return Logical(path)
}

func checkText(path string) error {
	if len(path) > maxPathBytes {
		return fmt.Errorf("%w: %d bytes; expected at most %d", ErrPath, len(path), maxPathBytes)
	}
	if !utf8.ValidString(path) {
		return fmt.Errorf("%w: %q is not UTF-8", ErrPath, path)
	}
	if at := strings.IndexAny(path, "\\\x00\r\n"); at >= 0 {
		return fmt.Errorf("%w: %q has %q at byte %d; expected names joined by slashes", ErrPath, path, path[at], at)
	}
	return nil
}

// sendable says that a listing can carry the name (wire 3.10.1).
func sendable(name string) bool {
	return len(name) <= maxNameBytes && !strings.Contains(name, "/") && CheckRelative(name) == nil
}
