package data

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Holder is what the lock file says about the program that holds the folder.
type Holder struct {
	PID         int    `json:"pid"`
	URL         string `json:"url"` // "" until it listens
	StartedAtMS int64  `json:"started_at_ms"`
	StartID     string `json:"start_id"` // random; links to the lab are good for this start only
}

// HeldError refuses a folder that another program holds.
type HeldError struct {
	Path   string
	Holder Holder // zero where the file could not be read
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("data folder %q is in use by the parley with pid %d; stop it, or choose another folder with --data",
		e.Path, e.Holder.PID)
}

// Lock is a held folder.
type Lock struct {
	file   *os.File
	holder Holder
}

// Acquire takes the folder for this process. The operating system holds the lock, so it ends with the process however
// that ends; the file's content is for people and for a second start. *HeldError when another process has it.
func (f Folder) Acquire(pid int, now time.Time) (*Lock, error) {
	file, err := os.OpenFile(f.lockFile(), os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return nil, fmt.Errorf("lock data folder: %w", err)
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		file.Close() // the first error is the one to tell
		if errors.Is(err, unix.EWOULDBLOCK) {
			holder, _ := f.Holder() // without it the refusal is the same
			return nil, &HeldError{Path: f.path, Holder: holder}
		}
		return nil, fmt.Errorf("lock data folder %q: %w", f.path, err)
	}
	lock := &Lock{file: file, holder: Holder{PID: pid, StartedAtMS: now.UnixMilli(), StartID: rand.Text()}}
	if err := lock.write(); err != nil {
		file.Close() // the first error is the one to tell
		return nil, err
	}
	return lock, nil
}

// Held tells whether some process holds the folder at the moment.
func (f Folder) Held() (bool, error) {
	file, err := os.Open(f.lockFile())
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look at lock: %w", err)
	}
	defer file.Close() // gives a lock taken here back as well
	err = unix.Flock(int(file.Fd()), unix.LOCK_SH|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}

// Holder reads what the last holder wrote.
func (f Folder) Holder() (Holder, error) {
	content, err := os.ReadFile(f.lockFile())
	if err != nil {
		return Holder{}, fmt.Errorf("read lock: %w", err)
	}
	var h Holder
	if err := json.Unmarshal(content, &h); err != nil {
		return Holder{}, fmt.Errorf("read lock %q: %w", f.lockFile(), err)
	}
	return h, nil
}

// StartID is the random id of this start.
func (l *Lock) StartID() string { return l.holder.StartID }

// Announce writes the address of the lab into the lock file, for a second start to find.
func (l *Lock) Announce(url string) error {
	l.holder.URL = url
	return l.write()
}

// Release gives the folder free. The file stays: removing it would let two programs lock two files of one name.
func (l *Lock) Release() error {
	l.holder.URL = ""
	err := l.write()
	return errors.Join(err, l.file.Close())
}

// write replaces the content in place: renaming a new file over it would take the lock's file away. The text is padded
// to one size so that a reader never sees the end of an older one.
func (l *Lock) write() error {
	text, err := json.Marshal(l.holder)
	if err != nil {
		return fmt.Errorf("write lock: %w", err)
	}
	if _, err := l.file.WriteAt(fmt.Appendf(nil, "%-511s\n", text), 0); err != nil {
		return fmt.Errorf("write lock: %w", err)
	}
	return nil
}

func (f Folder) lockFile() string { return filepath.Join(f.path, "lock") }
