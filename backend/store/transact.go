package store

import (
	"context"
	"database/sql"
	"errors"
)

// work is what one write does inside a transaction that it may share with others. It lives as long as the write's
// function runs, in the writing goroutine.
type work struct {
	tx         *sql.Tx
	ready      map[string]*sql.Stmt
	unprepared []string
	events     []Event // appended by this write; told once they are on the disk
}

// together runs several statements as one write: all of them are kept, or none; an error says that nothing was. The
// transaction has the write lock from its begin, so that what it has read is still true when it writes, also beside
// another program. Writes that wait at the same time share the commit. A context ends the wait for one's turn, not the
// write. do may be called again, after all that it did was undone, and calls no method of the Store.
func (s *Store) together(ctx context.Context, do func(*work) error) error {
	m := &member{ctx: ctx, do: do, answer: make(chan error, 1)}
	select {
	case s.commits.queue <- m:
		return <-m.answer
	case <-ctx.Done():
		return ctx.Err()
	case <-s.commits.stop:
		return errClosed
	}
}

// errClosed: a write after Close.
var errClosed = errors.New("the store is closed")

func (w *work) exec(query string, args ...any) (sql.Result, error) {
	if statement := w.statement(query); statement != nil {
		return statement.Exec(args...)
	}
	return w.tx.Exec(query, args...)
}

func (w *work) row(query string, args ...any) *sql.Row {
	if statement := w.statement(query); statement != nil {
		return statement.QueryRow(args...)
	}
	return w.tx.QueryRow(query, args...)
}

func (w *work) rows(query string, args ...any) (*sql.Rows, error) {
	if statement := w.statement(query); statement != nil {
		return statement.Query(args...)
	}
	return w.tx.Query(query, args...)
}

// statement gives the prepared form of a query, nil where there is none yet.
func (w *work) statement(query string) *sql.Stmt {
	if statement := w.ready[query]; statement != nil {
		return w.tx.Stmt(statement)
	}
	w.unprepared = append(w.unprepared, query)
	return nil
}

// changed runs a statement and tells whether it found a row.
func (w *work) changed(query string, args ...any) (bool, error) {
	result, err := w.exec(query, args...)
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

// changeOne runs a statement on the one row that it names, or gives ErrNotFound.
func (w *work) changeOne(query string, args ...any) error {
	found, err := w.changed(query, args...)
	if err == nil && !found {
		err = ErrNotFound
	}
	return err
}

// insert runs an INSERT and gives the key of its row.
func (w *work) insert(query string, args ...any) (int64, error) {
	result, err := w.exec(query, args...)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// oneOf reads the row of a query, or gives ErrNotFound.
func oneOf[T any](row *sql.Row, scan func(scanner) (T, error)) (T, error) {
	one, err := scan(row)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return one, err
}

// allOf reads all rows of a query inside a write.
func allOf[T any](w *work, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := w.rows(query, args...)
	if err != nil {
		return nil, err
	}
	return collect(rows, scan)
}

// listOf reads all rows of a query.
func listOf[T any](ctx context.Context, db *sql.DB, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return collect(rows, scan)
}

func collect[T any](rows *sql.Rows, scan func(scanner) (T, error)) ([]T, error) {
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
