package store

import (
	"errors"
	"fmt"

	"github.com/mattn/go-sqlite3"
)

var (
	// ErrNotFound: nothing is stored under the name that was asked for.
	ErrNotFound = errors.New("not found in the store")
	// ErrForeign: the file is not a database of this program. It was not touched.
	ErrForeign = errors.New("not a database of this program")
	// ErrDamaged: the file is a database of this program, but broken. Nothing is written to it from then on; what can
	// be read may be read.
	ErrDamaged = errors.New("the database is damaged")
	// ErrUnreadable: nothing is known about the file, as the system does not let it be read.
	ErrUnreadable = errors.New("the database cannot be read")
	// ErrFull: the disk is full. Nothing of the write was kept; reading goes on.
	ErrFull = errors.New("the disk is full")
	// ErrBusy: another program kept the database from being written for longer than one may wait. Nothing was kept.
	ErrBusy = errors.New("the database is in use by another program; try again")

	// ErrUnfit: a name, an id or a digest cannot be stored as it is.
	ErrUnfit = errors.New("cannot be stored")
	// ErrConflict: what is asked does not go with what is stored. Nothing was changed.
	ErrConflict = errors.New("it conflicts with what is stored")
	// ErrIdempotency: the idempotency key was used for another request (behaviour 8.2).
	ErrIdempotency = errors.New("the idempotency key belongs to another request")
	// ErrChanged: the record is no longer in the state that the change starts from (behaviour 8.1).
	ErrChanged = errors.New("the state has changed")
	// ErrBlocked: a write of the Environment has not ended, or its end is not known (behaviour 8.5).
	ErrBlocked = errors.New("another write of the environment is not settled")
	// ErrTooMany: the journal of a Turn is full (behaviour 8.5).
	ErrTooMany = errors.New("the Turn has too many events")
	// ErrBound: another device that may connect has the Environment.
	ErrBound = errors.New("the environment is bound to another device")
	// ErrNoAuthority: the credential is not known, revoked, or another Environment's.
	ErrNoAuthority = errors.New("the credential has no authority here")
	// ErrRevoked: what was revoked cannot be used again.
	ErrRevoked = errors.New("it was revoked; create a new one")
)

// NewerError refuses a file that a later version of the program has written. The file was not touched.
type NewerError struct {
	Path        string
	Found, Here int // schema versions
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("database %q has schema version %d, this program knows versions up to %d: "+
		"use the newer program that wrote it, or choose another data folder with --data", e.Path, e.Found, e.Here)
}

// translate puts the sentinel of a driver error in front of it.
func translate(err error) error {
	var driver sqlite3.Error
	if !errors.As(err, &driver) {
		return err
	}
	switch driver.Code {
	case sqlite3.ErrCorrupt:
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	case sqlite3.ErrNotADB:
		return fmt.Errorf("%w: %w", ErrForeign, err)
	case sqlite3.ErrFull:
		return fmt.Errorf("%w: %w", ErrFull, err)
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		return fmt.Errorf("%w: %w", ErrBusy, err)
	}
	return err
}
