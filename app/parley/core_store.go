package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"

	"parley/app/data"
	"parley/backend/store"
)

// withNewStore opens the lab's database for a command, making folder and database as parley serve does where there are
// none. It takes no lock and makes no credential of the lab: a lab may run, or be starting at this moment.
func withNewStore(ctx context.Context, path string, stderr io.Writer, do func(data.Folder, *store.Store) error) error {
	place, err := data.Place(path, os.Getenv)
	if err != nil {
		return err
	}
	folder, err := data.Enter(place, slog.New(slog.NewTextHandler(stderr, nil)))
	if err != nil {
		return err
	}
	return withStore(ctx, folder, do)
}

// absentError says that there is no database of a lab to look at. It is an fs.ErrNotExist.
type absentError struct{ why string }

func (e *absentError) Error() string { return e.why }

func (e *absentError) Unwrap() error { return fs.ErrNotExist }

// absence takes an absentError out of an error, for commands to which a lab that was never started has nothing in it.
func absence(err error) (why string, other error) {
	if absent, ok := errors.AsType[*absentError](err); ok {
		return absent.why, nil
	}
	return "", err
}

// because appends why there is nothing, where that is known.
func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}

// noteAbsence says it beside an empty document, which cannot.
func noteAbsence(w io.Writer, why string) {
	if why != "" {
		fmt.Fprintf(w, "note: %s\n", why)
	}
}

// withExistingStore opens the lab's database for a command that makes none: where there is none it gives *absentError and
// changes nothing.
func withExistingStore(ctx context.Context, path string, do func(data.Folder, *store.Store) error) error {
	place, err := data.Place(path, os.Getenv)
	if err != nil {
		return err
	}
	folder, err := data.Existing(place)
	if errors.Is(err, fs.ErrNotExist) {
		return &absentError{fmt.Sprintf("the data folder %q does not exist", place)}
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(folder.Database()); errors.Is(err, fs.ErrNotExist) {
		return &absentError{fmt.Sprintf("no lab was started on the data folder %q yet", place)}
	}
	return withStore(ctx, folder, do)
}

func withStore(ctx context.Context, folder data.Folder, do func(data.Folder, *store.Store) error) error {
	s, err := store.Open(ctx, folder.Database())
	if err != nil {
		return err
	}
	return errors.Join(do(folder, s), s.Close())
}

// labOrigin is where the lab that runs on the folder can be reached; "" when none runs.
func labOrigin(folder data.Folder) string {
	if held, err := folder.Held(); err != nil || !held {
		return ""
	}
	holder, err := folder.Holder()
	if err != nil {
		return ""
	}
	return holder.URL
}
