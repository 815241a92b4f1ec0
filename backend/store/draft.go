package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Draft is the text of an editor, kept between visits.
type Draft struct {
	Name    string
	Body    []byte // exact
	Updated time.Time
}

const (
	upsertDraft = `INSERT INTO draft (name, body, updated_at_ms) VALUES (?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET body = excluded.body, updated_at_ms = excluded.updated_at_ms`
	selectDraft = "SELECT body, updated_at_ms FROM draft WHERE name = ?"
	deleteDraft = "DELETE FROM draft WHERE name = ?"
)

// scrubEvery is how many saves share one emptying of the log, which costs two syncs of its own.
const scrubEvery = 32

// SaveDraft stores a draft in place of an older one of the same name. What it replaced goes from the files at once when
// the new text is empty, else after some more saves. Errors: ErrFull, ErrDamaged.
func (s *Store) SaveDraft(ctx context.Context, d Draft) error {
	if _, err := s.change(ctx, upsertDraft, d.Name, present(d.Body), d.Updated.UnixMilli()); err != nil {
		return fmt.Errorf("save draft %q: %w", d.Name, err)
	}
	if len(d.Body) == 0 || s.saves.Add(1)%scrubEvery == 0 {
		s.scrub(ctx)
	}
	return nil
}

// Draft gives the draft of a name, or ErrNotFound.
func (s *Store) Draft(ctx context.Context, name string) (Draft, error) {
	d := Draft{Name: name}
	var updatedMS int64
	err := s.read.QueryRowContext(ctx, selectDraft, name).Scan(&d.Body, &updatedMS)
	if errors.Is(err, sql.ErrNoRows) {
		return Draft{}, fmt.Errorf("read draft %q: %w", name, ErrNotFound)
	}
	if err != nil {
		return Draft{}, fmt.Errorf("read draft %q: %w", name, s.note(err))
	}
	d.Updated = time.UnixMilli(updatedMS).UTC()
	return d, nil
}

// DeleteDraft removes a draft and its bytes: from the log and, overwritten, from the file (hostile-inputs U-2). While
// somebody reads an older state they stay in the log until a later write or Close. ErrNotFound if there is none.
func (s *Store) DeleteDraft(ctx context.Context, name string) error {
	result, err := s.change(ctx, deleteDraft, name)
	if err != nil {
		return fmt.Errorf("delete draft %q: %w", name, err)
	}
	if n, err := result.RowsAffected(); err == nil && n == 0 {
		return fmt.Errorf("delete draft %q: %w", name, ErrNotFound)
	}
	s.scrub(ctx)
	return nil
}
