package store

import (
	"context"
	"crypto/subtle"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// ExecutorCredential lets one Runtime enroll itself for one Environment (behaviour 2.3). Once enrolled it is also the
// credential of the device.
type ExecutorCredential struct {
	KeyID  string // UUID; names the credential where its secret must not stand
	Digest string // SHA-256 of the secret in lower-case hex; empty once revoked
	Binding

	DeviceID string    // empty: not enrolled yet
	Created  time.Time // UTC, milliseconds
	Revoked  time.Time // zero: not revoked
}

const executorColumns = `key_id, digest, environment_id, session_id, workspace_directory, coalesce(device_id, ''),
	created_at_ms, revoked_at_ms`

const (
	insertExecutor = `INSERT INTO executor_credential (key_id, digest, environment_id, session_id, workspace_directory,
		created_at_ms) VALUES (?, ?, ?, ?, ?, ?)`
	selectExecutor         = "SELECT " + executorColumns + " FROM executor_credential WHERE key_id = ?"
	selectExecutors        = "SELECT " + executorColumns + " FROM executor_credential ORDER BY seq"
	selectExecutorByDigest = "SELECT " + executorColumns + " FROM executor_credential WHERE digest = ? AND digest <> ''"
	bindExecutor           = "UPDATE executor_credential SET device_id = ? WHERE key_id = ?"
	rotateExecutor         = "UPDATE executor_credential SET digest = ? WHERE key_id = ?"
	rotateDevice           = "UPDATE device SET digest = ? WHERE id = ? AND revoked_at_ms IS NULL"
	revokeExecutor         = "UPDATE executor_credential SET digest = '', revoked_at_ms = coalesce(revoked_at_ms, ?) WHERE key_id = ?"
	revokeExecutorOfDevice = `UPDATE executor_credential SET digest = '', revoked_at_ms = coalesce(revoked_at_ms, ?)
		WHERE device_id = ?`
)

// CreateExecutorCredential stores a credential under a key id of its own and gives it back. Errors: ErrUnfit, ErrFull,
// ErrDamaged.
func (s *Store) CreateExecutorCredential(ctx context.Context, c ExecutorCredential) (ExecutorCredential, error) {
	c.KeyID, c.Created = uuid.NewString(), time.UnixMilli(c.Created.UnixMilli()).UTC()
	err := errors.Join(fitDigest(c.Digest), c.Binding.fit())
	if err == nil {
		_, err = s.change(ctx, insertExecutor, c.KeyID, c.Digest, c.EnvironmentID, c.SessionID, c.WorkspaceDirectory, c.Created.UnixMilli())
	}
	if err != nil {
		return ExecutorCredential{}, fmt.Errorf("create executor credential: %w", err)
	}
	return c, nil
}

// ExecutorCredentials lists all credentials, the oldest first.
func (s *Store) ExecutorCredentials(ctx context.Context) ([]ExecutorCredential, error) {
	list, err := listOf(ctx, s.read, scanExecutor, selectExecutors)
	if err != nil {
		return nil, fmt.Errorf("list executor credentials: %w", s.note(err))
	}
	return list, nil
}

// RotateExecutorCredential replaces the secret: the old one is good for nothing from then on, also as the credential of
// the enrolled device. Errors: ErrNotFound, ErrRevoked, ErrUnfit.
func (s *Store) RotateExecutorCredential(ctx context.Context, key, digest string) (ExecutorCredential, error) {
	var c ExecutorCredential
	err := s.together(ctx, func(w *work) (err error) {
		if c, err = executorByKey(w, key); err != nil {
			return err
		}
		if !c.Revoked.IsZero() {
			return ErrRevoked
		}
		if err := fitDigest(digest); err != nil {
			return err
		}
		c.Digest = digest
		if err := w.changeOne(rotateExecutor, digest, key); err != nil || c.DeviceID == "" {
			return err
		}
		return w.changeOne(rotateDevice, digest, c.DeviceID)
	})
	if err != nil {
		return ExecutorCredential{}, fmt.Errorf("rotate executor credential %q: %w", key, err)
	}
	return c, nil
}

// RevokeExecutorCredential ends a credential for good, and the device that was enrolled with it. Doing it again changes
// nothing. ErrNotFound if there is no such key.
func (s *Store) RevokeExecutorCredential(ctx context.Context, key string, at time.Time) error {
	err := s.together(ctx, func(w *work) error {
		c, err := executorByKey(w, key)
		if err != nil {
			return err
		}
		if err := w.changeOne(revokeExecutor, at.UnixMilli(), key); err != nil || c.DeviceID == "" {
			return err
		}
		return w.changeOne(revokeDevice, at.UnixMilli(), c.DeviceID)
	})
	if err != nil {
		return fmt.Errorf("revoke executor credential %q: %w", key, err)
	}
	return nil
}

// Enroll gives the device of a credential's Environment, making it the first time; the credential becomes the device's
// (behaviour 2.3). Errors: ErrNoAuthority where the credential is not known, revoked or another Environment's; ErrBound
// where another device has the Environment.
func (s *Store) Enroll(ctx context.Context, digest, environment string, at time.Time) (Device, error) {
	var d Device
	err := s.together(ctx, func(w *work) error {
		c, err := authorized(w.row(selectExecutorByDigest, digest), digest, environment)
		if err != nil {
			return err
		}
		if c.DeviceID != "" {
			d, err = scanDevice(w.row(selectDevice, c.DeviceID))
			return err
		}
		d, err = addDevice(w, Device{Name: "executor " + c.KeyID, RuntimeType: AgentDaemon, Digest: digest, Binding: c.Binding, Created: at})
		if err != nil {
			return err
		}
		return w.changeOne(bindExecutor, d.ID, c.KeyID)
	})
	if err != nil {
		return Device{}, fmt.Errorf("enroll for environment %q: %w", environment, err)
	}
	return d, nil
}

// Enrolled gives the device that a credential was enrolled as, changing nothing. Errors as of Enroll, and ErrNotFound
// where it has not been enrolled.
func (s *Store) Enrolled(ctx context.Context, digest, environment string) (Device, error) {
	fail := func(err error) (Device, error) {
		return Device{}, fmt.Errorf("find device of environment %q: %w", environment, s.note(err))
	}
	c, err := authorized(s.read.QueryRowContext(ctx, selectExecutorByDigest, digest), digest, environment)
	if err != nil {
		return fail(err)
	}
	d, err := scanDevice(s.read.QueryRowContext(ctx, selectByEnvironment, environment))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return fail(ErrNotFound)
	case err != nil:
		return fail(err)
	case d.ID != c.DeviceID:
		return fail(ErrBound)
	}
	return d, nil
}

// authorized reads the credential that a digest was found by and refuses it for another Environment.
func authorized(row scanner, digest, environment string) (ExecutorCredential, error) {
	c, err := scanExecutor(row)
	if errors.Is(err, sql.ErrNoRows) {
		return c, ErrNoAuthority
	}
	if err == nil && (subtle.ConstantTimeCompare([]byte(c.Digest), []byte(digest)) != 1 || c.EnvironmentID != environment) {
		err = ErrNoAuthority
	}
	return c, err
}

func executorByKey(w *work, key string) (ExecutorCredential, error) {
	c, err := scanExecutor(w.row(selectExecutor, key))
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return c, err
}

func scanExecutor(row scanner) (ExecutorCredential, error) {
	var c ExecutorCredential
	var created int64
	var revoked sql.NullInt64
	err := row.Scan(&c.KeyID, &c.Digest, &c.EnvironmentID, &c.SessionID, &c.WorkspaceDirectory, &c.DeviceID, &created, &revoked)
	c.Created, c.Revoked = time.UnixMilli(created).UTC(), moment(revoked)
	return c, err
}
