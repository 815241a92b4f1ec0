package store

import (
	"context"
	"crypto/subtle"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
)

// APIKey is a key of Core's public API (behaviour 8.6); only its digest is kept.
type APIKey struct {
	ID       string // UUID
	Name     string
	Digest   string // SHA-256 of the key in lower-case hex; empty once revoked
	Created  time.Time
	LastUsed time.Time // zero: never; a minute late at most
	Revoked  time.Time // zero: not revoked
}

// Admits compares the digest of a presented key in constant time. An empty stored digest admits nothing.
func (k APIKey) Admits(digest string) bool {
	return k.Digest != "" && subtle.ConstantTimeCompare([]byte(k.Digest), []byte(digest)) == 1
}

const keyColumns = "id, name, digest, created_at_ms, last_used_at_ms, revoked_at_ms"

const (
	insertKey         = "INSERT INTO api_key (id, name, digest, created_at_ms) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
	selectKeys        = "SELECT " + keyColumns + " FROM api_key ORDER BY place"
	selectKeyByDigest = "SELECT " + keyColumns + " FROM api_key WHERE digest = ? AND digest <> ''"
	revokeKey         = "UPDATE api_key SET digest = '', revoked_at_ms = coalesce(revoked_at_ms, ?) WHERE id = ?"
	touchKey          = `UPDATE api_key SET last_used_at_ms = ?1
		WHERE id = ?2 AND (last_used_at_ms IS NULL OR last_used_at_ms <= ?1 - 60000)`
)

// CreateAPIKey stores a key under an id of its own. Its name is trimmed. Errors: ErrUnfit; ErrConflict where the digest is
// another key's; ErrFull, ErrDamaged.
func (s *Store) CreateAPIKey(ctx context.Context, k APIKey) (APIKey, error) {
	k = APIKey{ID: uuid.NewString(), Name: strings.TrimSpace(k.Name), Digest: k.Digest, Created: kept(k.Created)}
	err := errors.Join(fitName("name", k.Name), fitDigest(k.Digest))
	if err == nil {
		err = s.together(ctx, func(w *work) error {
			made, err := w.changed(insertKey, k.ID, k.Name, k.Digest, k.Created.UnixMilli())
			if err == nil && !made {
				err = fmt.Errorf("%w: another key has this digest", ErrConflict)
			}
			return err
		})
	}
	if err != nil {
		return APIKey{}, fmt.Errorf("create api key: %w", err)
	}
	return k, nil
}

// APIKeys lists all keys, the oldest first.
func (s *Store) APIKeys(ctx context.Context) ([]APIKey, error) {
	list, err := listOf(ctx, s.read, scanKey, selectKeys)
	if err != nil {
		return nil, fmt.Errorf("list api keys: %w", s.note(err))
	}
	return list, nil
}

// APIKeyByDigest finds the key that a digest belongs to, or ErrNotFound. The caller asks it whether it Admits the digest.
func (s *Store) APIKeyByDigest(ctx context.Context, digest string) (APIKey, error) {
	k, err := oneOf(s.read.QueryRowContext(ctx, selectKeyByDigest, digest), scanKey)
	if err != nil {
		return APIKey{}, fmt.Errorf("find api key: %w", s.note(err))
	}
	return k, nil
}

// RevokeAPIKey ends a key for good. Doing it again changes nothing. ErrNotFound if there is no such key.
func (s *Store) RevokeAPIKey(ctx context.Context, id string, at time.Time) error {
	err := s.together(ctx, func(w *work) error { return w.changeOne(revokeKey, at.UnixMilli(), id) })
	if err != nil {
		return fmt.Errorf("revoke api key %q: %w", id, err)
	}
	return nil
}

// TouchAPIKey notes when a key was last used, once a minute: more often costs nothing on the disk.
func (s *Store) TouchAPIKey(ctx context.Context, id string, at time.Time) error {
	if _, err := s.change(ctx, touchKey, at.UnixMilli(), id); err != nil {
		return fmt.Errorf("note api key %q as used: %w", id, err)
	}
	return nil
}

func scanKey(row scanner) (APIKey, error) {
	var k APIKey
	var created int64
	var used, revoked sql.NullInt64
	err := row.Scan(&k.ID, &k.Name, &k.Digest, &created, &used, &revoked)
	k.Created, k.LastUsed, k.Revoked = time.UnixMilli(created).UTC(), moment(used), moment(revoked)
	return k, err
}
