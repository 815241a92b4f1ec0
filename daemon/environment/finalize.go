package environment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley/daemon/workspace"
)

// maxSources bounds each list (wire 5.2).
const maxSources = 50

// Sources is what an Environment shall offer. Directories are absolute: "/workspace", a logical path below it, or a native
// path in the workspace or the Environment's own folder.
type Sources struct {
	Skills, Plugins []Capability // Folder is not looked at
	Directories     []string
}

// Capabilities is what a finalized Environment offers. Directories are native paths.
type Capabilities struct {
	Skills      []Capability `json:"skills"`
	Plugins     []Capability `json:"plugins"`
	Directories []string     `json:"directories"`
}

// Finalize checks that what is named was installed and that the directories are real folders, writes it down, and
// freezes the Environment: every later step is refused (wire 3.8.2).
func (e *Environment) Finalize(ctx context.Context, sources Sources) Outcome {
	err := e.finalize(ctx, sources)
	if err != nil {
		err = fmt.Errorf("finalize: %w", err)
	}
	return outcomeOf(err)
}

func (e *Environment) finalize(ctx context.Context, sources Sources) error {
	if err := e.admit(ctx); err != nil {
		return err
	}
	if max(len(sources.Skills), len(sources.Plugins), len(sources.Directories)) > maxSources {
		return fmt.Errorf("%w: %d skills, %d plugins, %d directories; expected at most %d each", ErrRefused,
			len(sources.Skills), len(sources.Plugins), len(sources.Directories), maxSources)
	}
	skills, err := e.match(skillsFolder, sources.Skills)
	if err != nil {
		return err
	}
	plugins, err := e.match(pluginsFolder, sources.Plugins)
	if err != nil {
		return err
	}
	found := Capabilities{Skills: skills, Plugins: plugins, Directories: make([]string, 0, len(sources.Directories))}
	for _, directory := range sources.Directories {
		native, err := e.usable(directory)
		if err != nil {
			return fmt.Errorf("%w: directory %q: %w", ErrRefused, directory, err)
		}
		found.Directories = append(found.Directories, native)
	}
	if err := e.writeJSON(capabilitiesFile, found); err != nil {
		return err
	}
	e.capabilities = &found
	return nil
}

// match finds each named capability among the installed ones and takes the description that is asked for now.
func (e *Environment) match(place string, named []Capability) ([]Capability, error) {
	installed, err := e.installed(place)
	if err != nil {
		return nil, err
	}
	all := make([]Capability, 0, len(named))
	for _, capability := range named {
		found, ok := installed[capability.Name]
		if !ok {
			return nil, fmt.Errorf("%w: %q of %s was not installed", ErrRefused, capability.Name, place)
		}
		capability.Folder = found.Folder
		all = append(all, capability)
	}
	return all, nil
}

// usable is the native path of a folder that may be offered.
func (e *Environment) usable(directory string) (string, error) {
	if relative, err := workspace.LogicalFolder(directory); err == nil {
		return e.workspace.Folder(relative)
	}
	if relative, ok := below(e.workspace.Dir(), directory); ok {
		return e.workspace.Folder(relative)
	}
	relative, ok := below(e.dir, directory)
	if !ok {
		return "", errors.New("it is neither in the workspace nor in the Environment's folder")
	}
	own, err := workspace.Open(e.dir)
	if err != nil {
		return "", err
	}
	native, err := own.Folder(relative)
	return native, errors.Join(err, own.Close())
}

// below is the slash-separated path from a folder to what is in it, "" for itself.
func below(folder, path string) (string, bool) {
	if path == folder {
		return "", true
	}
	relative, ok := strings.CutPrefix(path, strings.TrimSuffix(folder, string(os.PathSeparator))+string(os.PathSeparator))
	return filepath.ToSlash(relative), ok
}
