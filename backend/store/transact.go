package store

import (
	"context"
	"database/sql"
)

// together runs several statements as one write: all of them are kept, or none. The transaction takes the write lock at
// its begin, so that what it has read is still true when it writes, also beside another program.
func (s *Store) together(ctx context.Context, do func(*sql.Tx) error) error {
	if s.damaged.Load() {
		return ErrDamaged
	}
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return s.note(err)
	}
	defer tx.Rollback() // reports an error after Commit, which is of no interest
	if err := do(tx); err != nil {
		return s.note(err)
	}
	return s.note(tx.Commit())
}

// changeOne runs a statement on the one row that it names, or gives ErrNotFound.
func changeOne(ctx context.Context, tx *sql.Tx, query string, args ...any) error {
	result, err := tx.ExecContext(ctx, query, args...)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err == nil && n == 0 {
		return ErrNotFound
	}
	return nil
}

// listOf reads all rows of a query.
func listOf[T any](ctx context.Context, db *sql.DB, query string, scan func(scanner) (T, error)) ([]T, error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close() // rows.Err tells what went wrong
	list := []T{}
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, rows.Err()
}
