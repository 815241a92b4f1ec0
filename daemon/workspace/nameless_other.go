//go:build !linux

package workspace

import (
	"errors"
	"os"
)

func openNameless(*os.Root) (nameless, error) { return openTemporary() }

// link is never possible here.
func (n nameless) link(*os.Root, string) error { return errors.ErrUnsupported }
