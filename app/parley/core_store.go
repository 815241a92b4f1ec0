package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"

	"parley/app"
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

// withExistingStore opens the lab's database for a command that makes none: where there is none it gives fs.ErrNotExist
// and changes nothing.
func withExistingStore(ctx context.Context, path string, do func(data.Folder, *store.Store) error) error {
	place, err := data.Place(path, os.Getenv)
	if err != nil {
		return err
	}
	folder, err := data.Existing(place)
	if err != nil {
		return err
	}
	if _, err := os.Stat(folder.Database()); errors.Is(err, fs.ErrNotExist) {
		return err
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

// labOrigin is where a lab on the folder can be reached: the address of the one that runs, else the default one.
func labOrigin(folder data.Folder) string {
	if held, err := folder.Held(); err == nil && held {
		if holder, err := folder.Holder(); err == nil && holder.URL != "" {
			return holder.URL
		}
	}
	return "http://" + app.DefaultAddr
}
