package store

import (
	"context"
	"crypto/subtle"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
)

const (
	// AgentDaemon is the runtime type of a device that may connect (behaviour 2.1).
	AgentDaemon = "agent_daemon"
	// LocalWorkspace is the id of the workspace that owns every device: a lab has one.
	LocalWorkspace = "local"

	maxName = 256 // bytes, of names and ids (behaviour 2.2)
)

// Device is a machine that may connect as a Runtime (behaviour 2.2).
type Device struct {
	ID          string // UUID
	Name        string
	WorkspaceID string
	RuntimeType string
	Digest      string // SHA-256 of the credential in lower-case hex; empty once revoked
	Binding

	Created  time.Time // UTC, milliseconds
	LastSeen time.Time // zero: never
	Revoked  time.Time // zero: not revoked
}

// Binding is what a device or an executor credential is good for. All are set, or none.
type Binding struct {
	EnvironmentID      string
	SessionID          string
	WorkspaceDirectory string // on the Runtime's machine
}

// Admits compares the digest of a presented credential in constant time. An empty stored digest admits nothing.
func (d Device) Admits(digest string) bool {
	return d.Digest != "" && subtle.ConstantTimeCompare([]byte(d.Digest), []byte(digest)) == 1
}

const deviceColumns = `id, name, workspace_id, runtime_type, digest, coalesce(environment_id, ''), coalesce(session_id, ''),
	coalesce(workspace_directory, ''), created_at_ms, last_seen_at_ms, revoked_at_ms`

const (
	insertDevice = `INSERT INTO device (id, name, workspace_id, runtime_type, digest, environment_id, session_id,
		workspace_directory, created_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
	selectDevice        = "SELECT " + deviceColumns + " FROM device WHERE id = ?"
	selectDevices       = "SELECT " + deviceColumns + " FROM device ORDER BY seq"
	selectByEnvironment = "SELECT " + deviceColumns + " FROM device WHERE environment_id = ? AND revoked_at_ms IS NULL"
	touchDevice         = "UPDATE device SET last_seen_at_ms = ? WHERE id = ?"
	revokeDevice        = "UPDATE device SET digest = '', revoked_at_ms = coalesce(revoked_at_ms, ?) WHERE id = ?"
)

// CreateDevice stores a device of this lab's workspace under an id of its own and gives it back. Its name is trimmed.
// Errors: ErrUnfit for a name, digest or binding that cannot be, ErrBound, ErrFull, ErrDamaged.
func (s *Store) CreateDevice(ctx context.Context, d Device) (Device, error) {
	err := s.together(ctx, func(w *work) (err error) {
		d, err = addDevice(w, d)
		return err
	})
	if err != nil {
		return Device{}, fmt.Errorf("create device: %w", err)
	}
	return d, nil
}

func addDevice(w *work, d Device) (Device, error) {
	d.ID, d.WorkspaceID, d.Name = uuid.NewString(), LocalWorkspace, strings.TrimSpace(d.Name)
	d.Created = time.UnixMilli(d.Created.UnixMilli()).UTC()
	if err := errors.Join(fitName("name", d.Name), fitDigest(d.Digest)); err != nil {
		return Device{}, err
	}
	if d.Binding != (Binding{}) {
		if err := d.Binding.fit(); err != nil {
			return Device{}, err
		}
		if err := unbound(w, d.EnvironmentID); err != nil {
			return Device{}, err
		}
	}
	_, err := w.exec(insertDevice, d.ID, d.Name, d.WorkspaceID, d.RuntimeType, d.Digest,
		unknownWhenZero(d.EnvironmentID), unknownWhenZero(d.SessionID), unknownWhenZero(d.WorkspaceDirectory), d.Created.UnixMilli())
	return d, err
}

// unbound gives ErrBound where a device that may connect has the Environment.
func unbound(w *work, environment string) error {
	other, err := scanDevice(w.row(selectByEnvironment, environment))
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("%w: %q has device %s; revoke it first", ErrBound, environment, other.ID)
}

// Device gives the device with an id, also a revoked one, or ErrNotFound.
func (s *Store) Device(ctx context.Context, id string) (Device, error) {
	d, err := scanDevice(s.read.QueryRowContext(ctx, selectDevice, id))
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	if err != nil {
		return Device{}, fmt.Errorf("read device: %w", s.note(err))
	}
	return d, nil
}

// Devices lists all devices, the oldest first.
func (s *Store) Devices(ctx context.Context) ([]Device, error) {
	list, err := listOf(ctx, s.read, scanDevice, selectDevices)
	if err != nil {
		return nil, fmt.Errorf("list devices: %w", s.note(err))
	}
	return list, nil
}

// RevokeDevice ends a device's authority for good, and that of the executor credential it was enrolled with. Doing it
// again changes nothing. ErrNotFound if there is no such device.
func (s *Store) RevokeDevice(ctx context.Context, id string, at time.Time) error {
	err := s.together(ctx, func(w *work) error {
		if err := w.changeOne(revokeDevice, at.UnixMilli(), id); err != nil {
			return err
		}
		_, err := w.exec(revokeExecutorOfDevice, at.UnixMilli(), id)
		return err
	})
	if err != nil {
		return fmt.Errorf("revoke device %q: %w", id, err)
	}
	return nil
}

// TouchDevice notes when a device was last seen.
func (s *Store) TouchDevice(ctx context.Context, id string, at time.Time) error {
	if _, err := s.change(ctx, touchDevice, at.UnixMilli(), id); err != nil {
		return fmt.Errorf("note device %q as seen: %w", id, err)
	}
	return nil
}

// Authority tells whether a device may still act with a credential, by the newest state on the disk, whichever program
// wrote it (behaviour 2.2). An error says nothing about the authority.
func (s *Store) Authority(ctx context.Context, id, digest string) (bool, error) {
	d, err := s.Device(ctx, id)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return d.Admits(digest), err
}

func scanDevice(row scanner) (Device, error) {
	var d Device
	var created int64
	var seen, revoked sql.NullInt64
	err := row.Scan(&d.ID, &d.Name, &d.WorkspaceID, &d.RuntimeType, &d.Digest, &d.EnvironmentID, &d.SessionID,
		&d.WorkspaceDirectory, &created, &seen, &revoked)
	d.Created, d.LastSeen, d.Revoked = time.UnixMilli(created).UTC(), moment(seen), moment(revoked)
	return d, err
}

func moment(ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return time.UnixMilli(ms.Int64).UTC()
}

// fit refuses a binding that is not whole.
func (b Binding) fit() error {
	return errors.Join(fitName("environment id", b.EnvironmentID), fitName("session id", b.SessionID),
		fitText("workspace directory", b.WorkspaceDirectory, maxDirectory))
}

// maxDirectory is the longest path that common systems take, in bytes.
const maxDirectory = 4096

func fitName(what, text string) error { return fitText(what, text, maxName) }

// fitText refuses what a list or a document could not show as it is.
func fitText(what, text string, most int) error {
	switch {
	case strings.TrimSpace(text) == "" || len(text) > most:
		return fmt.Errorf("%w: %s: expected 1 to %d bytes, found %d", ErrUnfit, what, most, len(text))
	case !utf8.ValidString(text):
		return fmt.Errorf("%w: %s: expected UTF-8, found other bytes", ErrUnfit, what)
	case strings.ContainsFunc(text, unicode.IsControl):
		return fmt.Errorf("%w: %s: expected no control character, found one", ErrUnfit, what)
	}
	return nil
}

func fitDigest(digest string) error {
	const length = 64
	if len(digest) != length || strings.Trim(digest, "0123456789abcdef") != "" {
		return fmt.Errorf("%w: digest: expected %d lower-case hex digits, found %d bytes", ErrUnfit, length, len(digest))
	}
	return nil
}
