package environment

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"parley/daemon/workspace"
)

const (
	variablesFile    = "env.json"
	capabilitiesFile = "capabilities.json"
	skillsFolder     = "skills"
	pluginsFolder    = "plugins"
	privateFolder    = fs.FileMode(0o700)
	privateFile      = fs.FileMode(0o600)
)

// Config says where an Environment lives.
type Config struct {
	Dir       string               // the Environment's own folder, made with mode 0700 if missing; nobody else writes in it
	Workspace *workspace.Workspace // the bound folder; the caller closes it after the Environment
	Path      string               // where commands look for programs; "" is the PATH of this process
}

// Environment is one Environment's initialization. One step at a time: the caller sees to it. Close releases it.
type Environment struct {
	dir          string
	root         *os.Root
	lock         *os.File
	closed       bool
	workspace    *workspace.Workspace
	path         string
	variables    map[string]string
	capabilities *Capabilities // nil until finalized
}

// New opens the Environment, with what earlier steps left in its folder. One Environment at a time has a folder: a second
// one is refused with *HeldError. What a killed Runtime left is cleared away: the processes of its step are ended, which
// takes up to 8 s, or New fails with ErrStillRunning; what it half unpacked is removed.
func New(config Config) (*Environment, error) {
	if config.Workspace == nil {
		return nil, errors.New("open environment: no workspace given")
	}
	dir, err := filepath.Abs(config.Dir)
	if err != nil {
		return nil, fmt.Errorf("open environment: %w", err)
	}
	if err := os.MkdirAll(dir, privateFolder); err != nil {
		return nil, fmt.Errorf("open environment: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open environment: %w", err)
	}
	lock, err := hold(root, dir)
	if err != nil {
		_ = root.Close() // the first fault is the one to report
		return nil, fmt.Errorf("open environment: %w", err)
	}
	e := &Environment{dir: dir, root: root, lock: lock, workspace: config.Workspace, path: config.Path, variables: map[string]string{}}
	if e.path == "" {
		e.path = os.Getenv("PATH")
	}
	if err := e.load(); err != nil {
		_ = e.Close() // the first fault is the one to report
		return nil, fmt.Errorf("open environment %q: %w", dir, err)
	}
	return e, nil
}

// Close releases the folder. It stops nothing. A second one does nothing.
func (e *Environment) Close() error {
	if e.closed {
		return nil
	}
	e.closed = true
	return errors.Join(e.root.Close(), unlock(e.lock), e.lock.Close())
}

// Variables are the configured variables. They may hold secrets.
func (e *Environment) Variables() map[string]string { return maps.Clone(e.variables) }

// Capabilities are what Finalize found; false before it.
func (e *Environment) Capabilities() (Capabilities, bool) {
	if e.capabilities == nil {
		return Capabilities{}, false
	}
	return *e.capabilities, true
}

func (e *Environment) load() error {
	if err := e.endSurvivors(); err != nil {
		return err
	}
	if err := e.root.RemoveAll("tmp"); err != nil {
		return fmt.Errorf("empty the temporary folder: %w", err)
	}
	for _, name := range []string{"home", "tmp", skillsFolder, pluginsFolder} {
		if err := e.root.Mkdir(name, privateFolder); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("make folder: %w", err)
		}
	}
	for _, name := range []string{skillsFolder, pluginsFolder} {
		if err := e.sweep(name); err != nil {
			return fmt.Errorf("sweep %s: %w", name, err)
		}
	}
	if _, err := e.readJSON(variablesFile, &e.variables); err != nil {
		return err
	}
	var found Capabilities
	ok, err := e.readJSON(capabilitiesFile, &found)
	if ok {
		e.capabilities = &found
	}
	return err
}

// readJSON reads a file that this package wrote; false if there is none. Its error quotes nothing of the file.
func (e *Environment) readJSON(name string, into any) (bool, error) {
	data, err := e.root.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read %s: %w", name, err)
	}
	if json.Unmarshal(data, into) != nil {
		return false, fmt.Errorf("read %s: it is damaged; remove the Environment's folder and initialize it again", name)
	}
	return true, nil
}

// writeJSON makes the file appear whole or not at all. ErrUnconfirmed means that it may be there.
func (e *Environment) writeJSON(name string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := writeFile(e.root, name+".new", data, os.O_TRUNC); err != nil {
		_ = e.root.Remove(name + ".new") // the next one truncates it
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := e.root.Rename(name+".new", name); err != nil {
		return fmt.Errorf("write %s: %w: %w", name, workspace.ErrUnconfirmed, err)
	}
	if err := workspace.SyncFolder(e.root); err != nil {
		return fmt.Errorf("write %s: %w: %w", name, workspace.ErrUnconfirmed, err)
	}
	return nil
}

func writeFile(folder *os.Root, name string, data []byte, flag int) error {
	file, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|flag, privateFile)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}
