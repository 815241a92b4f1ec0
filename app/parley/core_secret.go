package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

var (
	errUndone  = errors.New("what was created is revoked again, as nobody has its secret")
	errRotated = errors.New("the old token ended, and nobody has the new one; rotate once more")
)

// secretPlace is where a document with a secret goes: a file that is not there yet, or standard output.
type secretPlace struct {
	path  string   // "": standard output
	draft *os.File // beside the path, mode 0600
	out   io.Writer
}

// openSecretPlace makes sure that the document can be written before the secret exists.
func openSecretPlace(path string, out io.Writer) (*secretPlace, error) {
	p := &secretPlace{path: path, out: out}
	if path == "" {
		return p, nil
	}
	_, err := os.Lstat(path)
	if err == nil {
		return nil, fmt.Errorf("write %q: it exists, and is not overwritten; remove it or choose another name with --out", path)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("write %q: %w", path, bare(err))
	}
	p.draft, err = os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // mode 0600
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("write %q: the folder %q does not exist; create it or choose another place with --out", path, filepath.Dir(path))
	}
	if err != nil {
		return nil, fmt.Errorf("write %q: %w", path, bare(err))
	}
	return p, nil
}

// bare drops the path of an error of the file system: it is the draft's, of which nobody knows.
func bare(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}
	return err
}

// put writes the document, once: a file appears whole under its name or not at all, and never in place of another.
func (p *secretPlace) put(value any) error {
	text, err := document(value)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if p.draft == nil {
		_, err := p.out.Write(text)
		return err
	}
	if _, err = p.draft.Write(text); err == nil {
		err = p.draft.Sync()
	}
	if err == nil {
		err = os.Link(p.draft.Name(), p.path) // unlike a rename it fails where a file is
	}
	if err != nil {
		return fmt.Errorf("write %q: %w", p.path, bare(err))
	}
	return nil
}

// close takes away what is only a draft.
func (p *secretPlace) close() {
	if p.draft == nil {
		return
	}
	p.draft.Close()           // what counts was synced
	os.Remove(p.draft.Name()) // what stays is its owner's alone
}
