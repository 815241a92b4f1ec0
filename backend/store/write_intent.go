package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// WriteState is how a public write ended, if it did.
type WriteState string

// The states of a write.
const (
	WritePending   WriteState = "pending" // the intent is kept before anything is sent
	WriteCompleted WriteState = "completed"
	WriteRejected  WriteState = "rejected"
	WriteUnknown   WriteState = "unknown" // it is never played again, and no other write comes after it
)

// WriteIntent is one public file write (behaviour 8.5).
type WriteIntent struct {
	ID            string // UUID, the mutation's id on the wire
	EnvironmentID string
	SessionID     string
	Path          string
	Size          int64  // bytes
	Digest        string // SHA-256 in lower-case hex
	State         WriteState
	Code          string // with rejected
	Created       time.Time
	Settled       time.Time // zero: not
}

const writeColumns = "w.id, e.id, s.id, w.path, w.size, w.digest, w.state, w.code, w.created_at_ms, w.settled_at_ms"

const writeTables = "write_intent w JOIN environment e ON e.place = w.environment JOIN session s ON s.place = e.session"

const (
	insertWrite = `INSERT INTO write_intent (id, environment, path, size, digest, state, created_at_ms)
		VALUES (?, ?, ?, ?, ?, 'pending', ?)`
	selectWrite    = "SELECT " + writeColumns + " FROM " + writeTables + " WHERE w.id = ?"
	selectBlocking = "SELECT " + writeColumns + " FROM " + writeTables + " WHERE w.environment = ? AND w.state IN ('pending', 'unknown')"
	settleWrite    = "UPDATE write_intent SET state = ?, code = ?, settled_at_ms = ? WHERE id = ? AND state = 'pending'"
)

func writesOf() listing[WriteIntent] {
	return listing[WriteIntent]{columns: writeColumns, from: writeTables, where: "w.environment = (SELECT place FROM environment WHERE id = ?)",
		order: "w.place", id: "w.id", scan: scanWrite}
}

// ReserveWrite keeps the intent of a write of EnvironmentID under an id of its own, before anything is sent. Errors:
// ErrNotFound; ErrBlocked while another write of the Environment is pending, or ended nobody knows how; ErrUnfit.
func (s *Store) ReserveWrite(ctx context.Context, intent WriteIntent) (WriteIntent, error) {
	intent.ID, intent.State, intent.Code = uuid.NewString(), WritePending, ""
	intent.Created, intent.Settled = kept(intent.Created), time.Time{}
	err := errors.Join(fitText("path", intent.Path, maxDirectory), fitDigest(intent.Digest))
	if err == nil {
		err = s.together(ctx, func(w *work) error { return w.reserveWrite(&intent) })
	}
	if err != nil {
		return WriteIntent{}, fmt.Errorf("reserve a write of environment %q: %w", intent.EnvironmentID, err)
	}
	return intent, nil
}

func (w *work) reserveWrite(intent *WriteIntent) error {
	e, err := oneOf(w.row(selectEnvironment, intent.EnvironmentID), scanEnvironment)
	if err != nil {
		return err
	}
	switch other, err := oneOf(w.row(selectBlocking, e.place), scanWrite); {
	case err == nil:
		return fmt.Errorf("%w: write %s of %q is %s", ErrBlocked, other.ID, other.Path, other.State)
	case !errors.Is(err, ErrNotFound):
		return err
	}
	intent.SessionID = e.SessionID
	_, err = w.exec(insertWrite, intent.ID, e.place, intent.Path, intent.Size, intent.Digest, intent.Created.UnixMilli())
	return err
}

// SettleWrite notes how a pending write ended; code comes with WriteRejected. Errors: ErrNotFound; ErrChanged where it is
// not pending; ErrUnfit.
func (s *Store) SettleWrite(ctx context.Context, id string, to WriteState, code string, at time.Time) (WriteIntent, error) {
	var intent WriteIntent
	err := s.together(ctx, func(w *work) error {
		if to != WriteCompleted && to != WriteRejected && to != WriteUnknown {
			return fmt.Errorf("%w: state %q", ErrUnfit, to)
		}
		done, err := w.changed(settleWrite, to, code, at.UnixMilli(), id)
		if err != nil {
			return err
		}
		if intent, err = oneOf(w.row(selectWrite, id), scanWrite); err == nil && !done {
			err = fmt.Errorf("%w: the write is %s", ErrChanged, intent.State)
		}
		return err
	})
	if err != nil {
		return WriteIntent{}, fmt.Errorf("settle write %q: %w", id, err)
	}
	return intent, nil
}

// WriteIntent gives the write with an id, or ErrNotFound.
func (s *Store) WriteIntent(ctx context.Context, id string) (WriteIntent, error) {
	intent, err := oneOf(s.read.QueryRowContext(ctx, selectWrite, id), scanWrite)
	if err != nil {
		return WriteIntent{}, fmt.Errorf("read write %q: %w", id, s.note(err))
	}
	return intent, nil
}

// WriteIntents lists the writes of an Environment, and whether there are more.
func (s *Store) WriteIntents(ctx context.Context, environment string, p Page) ([]WriteIntent, bool, error) {
	list, more, err := paged(ctx, s, writesOf(), p, environment)
	if err != nil {
		return nil, false, fmt.Errorf("list writes of environment %q: %w", environment, err)
	}
	return list, more, nil
}

func scanWrite(row scanner) (WriteIntent, error) {
	var intent WriteIntent
	var created int64
	var settled sql.NullInt64
	err := row.Scan(&intent.ID, &intent.EnvironmentID, &intent.SessionID, &intent.Path, &intent.Size, &intent.Digest, &intent.State,
		&intent.Code, &created, &settled)
	intent.Created, intent.Settled = time.UnixMilli(created).UTC(), moment(settled)
	return intent, err
}
