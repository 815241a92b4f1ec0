package environment

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"parley/daemon/workspace"
)

const (
	maxPluginSlot = 49 // wire 5.2
	contentFolder = "files"
	aboutFile     = "about.json"
)

// plainName is what may be the name of a folder as it is, on every system.
var plainName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// Capability is a skill or plugin.
type Capability struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Folder      string `json:"folder,omitzero"` // absolute path of its files; set by Finalize
}

// Stage opens an empty body for the archive of a skill or plugin, outside the workspace; see workspace.NewBody.
func (e *Environment) Stage(size int64, digest string) (*workspace.Body, error) {
	return workspace.NewBody(e.root, size, digest)
}

// File installs a complete body at its logical path, "/workspace/…" (wire 3.8.3).
func (e *Environment) File(ctx context.Context, staged *workspace.Staged, logical string) Outcome {
	return outcomeOf(e.file(ctx, staged, logical))
}

func (e *Environment) file(ctx context.Context, staged *workspace.Staged, logical string) error {
	if err := e.admit(ctx); err != nil {
		return fmt.Errorf("place file: %w", err)
	}
	relative, err := workspace.Logical(logical)
	if err != nil {
		return fmt.Errorf("place file: %w", err)
	}
	return staged.Install(ctx, relative)
}

// Skill unpacks the archive of a skill, whole or not at all. A skill of that name that is there already stays, and the
// step is refused.
func (e *Environment) Skill(ctx context.Context, archive *workspace.Body, name, description string) Outcome {
	err := e.unpackInto(ctx, path.Join(skillsFolder, folderName(name)), archive, Capability{Name: name, Description: description})
	if err != nil {
		err = fmt.Errorf("install skill %q: %w", name, err)
	}
	return outcomeOf(err)
}

// Plugin unpacks the archive of a plugin into its slot, 0 to 49, whole or not at all. A plugin that has the slot stays,
// and the step is refused.
func (e *Environment) Plugin(ctx context.Context, archive *workspace.Body, slot int, name, description string) Outcome {
	err := checkSlot(slot)
	if err == nil {
		err = e.unpackInto(ctx, path.Join(pluginsFolder, strconv.Itoa(slot)), archive, Capability{Name: name, Description: description})
	}
	if err != nil {
		err = fmt.Errorf("install plugin %q in slot %d: %w", name, slot, err)
	}
	return outcomeOf(err)
}

func checkSlot(slot int) error {
	if slot < 0 || slot > maxPluginSlot {
		return fmt.Errorf("%w: expected a slot from 0 to %d", ErrRefused, maxPluginSlot)
	}
	return nil
}

// folderName keeps a plain name and gives any other one that stands for it alone.
func folderName(name string) string {
	if plainName.MatchString(name) && filepath.IsLocal(name) {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return "~" + hex.EncodeToString(sum[:16])
}

func (e *Environment) unpackInto(ctx context.Context, place string, archive *workspace.Body, about Capability) error {
	if err := e.admit(ctx); err != nil {
		return err
	}
	if about.Name == "" || about.Description == "" {
		return fmt.Errorf("%w: expected a name and a description", ErrRefused)
	}
	content := archive.Reader()
	if content == nil {
		return fmt.Errorf("%w: the body is not complete", ErrRefused)
	}
	if _, err := e.root.Lstat(place); err == nil {
		return fmt.Errorf("%w: it is installed already", ErrRefused)
	}
	fresh := path.Join(path.Dir(place), ".unpack-"+rand.Text())
	if err := e.root.Mkdir(fresh, privateFolder); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	err := e.prepare(ctx, fresh, content, about)
	if err == nil {
		err = e.reveal(fresh, place)
	}
	if err != nil {
		_ = e.root.RemoveAll(fresh) // New sweeps what stays
	}
	return err
}

// prepare fills the fresh folder and makes it safe on disk.
func (e *Environment) prepare(ctx context.Context, fresh string, content *io.SectionReader, about Capability) error {
	folder, err := e.root.OpenRoot(fresh)
	if err != nil {
		return fmt.Errorf("open folder: %w", err)
	}
	defer folder.Close() // what matters is synced
	if err := folder.Mkdir(contentFolder, 0o755); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	files, err := folder.OpenRoot(contentFolder)
	if err != nil {
		return fmt.Errorf("open folder: %w", err)
	}
	defer files.Close() // what matters is synced
	if err := unpack(ctx, content, files); err != nil {
		return err
	}
	data, err := json.Marshal(about)
	if err != nil {
		return fmt.Errorf("encode %s: %w", aboutFile, err)
	}
	if err := writeFile(folder, aboutFile, data, os.O_EXCL); err != nil {
		return fmt.Errorf("write %s: %w", aboutFile, err)
	}
	if err := syncTree(folder); err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	return ctx.Err()
}

// reveal gives the folder its name.
func (e *Environment) reveal(fresh, place string) error {
	if err := e.root.Rename(fresh, place); err != nil {
		return fmt.Errorf("move into place: %w", err)
	}
	parent, err := e.root.OpenRoot(path.Dir(place))
	if err != nil {
		return fmt.Errorf("%w: open folder: %w", workspace.ErrUnconfirmed, err)
	}
	defer parent.Close() // what matters is synced
	if err := workspace.SyncFolder(parent); err != nil {
		return fmt.Errorf("%w: sync folder: %w", workspace.ErrUnconfirmed, err)
	}
	return nil
}

// sweep removes what a killed process half unpacked.
func (e *Environment) sweep(place string) error {
	entries, err := fs.ReadDir(e.root.FS(), place)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") {
			err = errors.Join(err, e.root.RemoveAll(path.Join(place, entry.Name())))
		}
	}
	return err
}

// installed are the skills or plugins that are there, by name.
func (e *Environment) installed(place string) (map[string]Capability, error) {
	entries, err := fs.ReadDir(e.root.FS(), place)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", place, err)
	}
	found := map[string]Capability{}
	for _, entry := range entries {
		var about Capability
		ok, err := e.readJSON(path.Join(place, entry.Name(), aboutFile), &about)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue // made by nobody here
		}
		about.Folder = filepath.Join(e.dir, place, entry.Name(), contentFolder)
		found[about.Name] = about
	}
	return found, nil
}
