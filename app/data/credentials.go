package data

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const sessionKeyBytes = 32

// Credentials are the secrets of one lab. They are never logged.
type Credentials struct {
	SessionKey []byte // seals cookies and open links
	APIKey     string // bearer of programs
	APIKeyFile string // where the API key can be read by its owner
}

// Credentials reads the folder's secrets, making those that are missing.
func (f Folder) Credentials() (Credentials, error) {
	room := filepath.Join(f.path, "credentials")
	if err := os.MkdirAll(room, folderMode); err != nil {
		return Credentials{}, fmt.Errorf("create credentials: %w", err)
	}
	session, err := secret(f.sessionKeyFile(), func() []byte {
		key := make([]byte, sessionKeyBytes)
		_, _ = rand.Read(key) // never fails (crypto/rand)
		return key
	})
	if err != nil {
		return Credentials{}, err
	}
	if len(session) != sessionKeyBytes {
		return Credentials{}, fmt.Errorf("read %q: found %d bytes, expected %d; remove the file, browsers then need a fresh link",
			f.sessionKeyFile(), len(session), sessionKeyBytes)
	}
	apiFile := f.apiKeyFile()
	api, err := secret(apiFile, func() []byte { return []byte("parley_" + rand.Text() + rand.Text() + "\n") })
	if err != nil {
		return Credentials{}, err
	}
	if api = bytes.TrimSpace(api); len(api) < 16 {
		return Credentials{}, fmt.Errorf("read %q: found %d characters, expected 16 or more; remove the file to get a new key",
			apiFile, len(api))
	}
	return Credentials{SessionKey: session, APIKey: string(api), APIKeyFile: apiFile}, nil
}

// SessionKey reads the session key of a lab that exists; it makes none.
func (f Folder) SessionKey() ([]byte, error) {
	key, err := os.ReadFile(f.sessionKeyFile())
	if err != nil {
		return nil, fmt.Errorf("read session key: %w", err)
	}
	return key, nil
}

// APIKey reads the API key of a lab that exists; it makes none.
func (f Folder) APIKey() (string, error) {
	key, err := os.ReadFile(f.apiKeyFile())
	if err != nil {
		return "", fmt.Errorf("read API key: %w", err)
	}
	return string(bytes.TrimSpace(key)), nil
}

func (f Folder) apiKeyFile() string { return filepath.Join(f.path, "credentials", "api-key") }

func (f Folder) sessionKeyFile() string { return filepath.Join(f.path, "credentials", "session.key") }

// secret reads a file, or makes it.
func secret(path string, fresh func() []byte) ([]byte, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		content = fresh()
		return content, writeWhole(path, content)
	}
	if err != nil {
		return nil, fmt.Errorf("read credential: %w", err)
	}
	return content, nil
}
