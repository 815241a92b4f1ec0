package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Page names a part of a list.
type Page struct {
	After  string // id of the record before the first one wanted, in the list's order; "" begins the list
	Limit  int    // at least 1 and at most MaxPage are given
	Oldest bool   // the oldest first, else the newest
}

// listing is a list that is paged by a column in which its records are ordered, never by counting.
type listing[T any] struct {
	columns, from string
	where         string // a condition, or "" for all
	order, id     string // columns
	scan          func(scanner) (T, error)
}

// place finds the record that a page comes after.
func (l listing[T]) place() string {
	return "SELECT " + l.order + " FROM " + l.from + " WHERE " + l.and(l.id+" = ?")
}

func (l listing[T]) newest() string { return l.page("<", "DESC") }
func (l listing[T]) oldest() string { return l.page(">", "ASC") }

func (l listing[T]) page(compare, direction string) string {
	return "SELECT " + l.columns + " FROM " + l.from + " WHERE " + l.and(l.order+" "+compare+" ?") +
		" ORDER BY " + l.order + " " + direction + " LIMIT ?"
}

func (l listing[T]) and(condition string) string {
	if l.where == "" {
		return condition
	}
	return l.where + " AND " + condition
}

// paged reads a page and tells whether the list goes on after it. args are those of the listing's condition. ErrNotFound
// where the list has no record After.
func paged[T any](ctx context.Context, s *Store, l listing[T], p Page, args ...any) (list []T, more bool, err error) {
	query, from := l.newest(), int64(1<<63-1)
	if p.Oldest {
		query, from = l.oldest(), -1
	}
	if p.After != "" {
		from, err = oneOf(s.read.QueryRowContext(ctx, l.place(), append(args[:len(args):len(args)], p.After)...), scanOne[int64])
		if err != nil {
			return nil, false, fmt.Errorf("find %q, to go on after it: %w", p.After, s.note(err))
		}
	}
	limit := min(max(p.Limit, 1), MaxPage)
	list, err = listOf(ctx, s.read, l.scan, query, append(args[:len(args):len(args)], from, limit+1)...)
	if err != nil {
		return nil, false, s.note(err)
	}
	more = len(list) > limit
	return list[:min(len(list), limit)], more, nil
}

func scanOne[T any](row scanner) (value T, err error) {
	err = row.Scan(&value)
	return value, err
}

// instant gives a time as a column keeps it.
func instant(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// kept gives a time as it comes back from a column.
func kept(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return time.UnixMilli(t.UnixMilli()).UTC()
}

// fitObject refuses what is no JSON object, or too large.
func fitObject(what string, document []byte, most int) error {
	if len(document) > most {
		return fmt.Errorf("%w: %s: expected at most %d bytes, found %d", ErrUnfit, what, most, len(document))
	}
	if !isObject(document) {
		return fmt.Errorf("%w: %s: expected a JSON object", ErrUnfit, what)
	}
	return nil
}

// missing says of what an id names nothing.
func missing(what, id string, err error) error {
	if errors.Is(err, ErrNotFound) {
		return fmt.Errorf("%s %q: %w", what, id, err)
	}
	return err
}
