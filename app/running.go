package app

import (
	"errors"
	"io/fs"
	"time"

	"parley/app/data"
	"parley/backend/server"
)

// RunningError refuses a second lab on a data folder.
type RunningError struct {
	Held    *data.HeldError
	OpenURL string // a fresh link to the lab that runs, "" where it cannot be known
	Visit   string // what came of opening it in the browser, "" where that was not tried
}

func (e *RunningError) Error() string {
	if e.OpenURL == "" {
		return e.Held.Error()
	}
	text := e.Held.Error()
	if e.Visit != "" {
		text += "\n" + e.Visit
	}
	return text + "\nopen the lab that runs with this link, once, within two minutes:\n  " + e.OpenURL
}

func (e *RunningError) Unwrap() error { return e.Held }

// Running looks for a lab that serves a data folder ("" looks in the environment) and gives a fresh link to it. A lab that
// is just starting or ending, or serves no pages, is not found; Serve waits for it or says who holds the folder.
func Running(path string, getenv func(string) string) (openURL string, pid int, running bool, err error) {
	place, err := data.Place(path, getenv)
	if err != nil {
		return "", 0, false, err
	}
	folder, err := data.Existing(place)
	if errors.Is(err, fs.ErrNotExist) {
		return "", 0, false, nil
	}
	if err != nil {
		return "", 0, false, err
	}
	held, err := folder.Held()
	if err != nil || !held {
		return "", 0, false, err
	}
	holder, err := folder.Holder()
	if err != nil {
		return "", 0, false, err
	}
	link := freshLink(folder, holder)
	return link, holder.PID, link != "", nil
}

// freshLink mints a link to the holder's lab, or gives "".
func freshLink(folder data.Folder, holder data.Holder) string {
	key, err := folder.SessionKey()
	if err != nil || holder.URL == "" || holder.StartID == "" {
		return ""
	}
	return server.OpenLink(holder.URL, key, holder.StartID, time.Now())
}
