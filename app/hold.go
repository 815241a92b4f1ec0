package app

import (
	"context"
	"errors"
	"os"
	"time"

	"parley/app/data"
)

const (
	// holdPatience is how long a start waits for a lab that is just ending (performance B10).
	holdPatience = 3 * time.Second
	holdInterval = 20 * time.Millisecond
)

// hold locks the folder. A holder that has an address serves, and is reported at once; one without is starting or
// ending, and is waited for.
func hold(ctx context.Context, folder data.Folder) (*data.Lock, error) {
	patience, cancel := context.WithTimeout(ctx, holdPatience)
	defer cancel()
	for {
		lock, err := folder.Acquire(os.Getpid(), time.Now())
		var held *data.HeldError
		if !errors.As(err, &held) {
			return lock, err
		}
		if held.Holder.URL != "" {
			return nil, &RunningError{Held: held, OpenURL: freshLink(folder, held.Holder)}
		}
		select {
		case <-patience.Done():
			return nil, &RunningError{Held: held}
		case <-time.After(holdInterval):
		}
	}
}
