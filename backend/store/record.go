package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Act is what was asked of the runner.
type Act string

// The three acts.
const (
	Negotiate Act = "negotiate"
	Validate  Act = "validate"
	Run       Act = "run"
)

// Summary is a record without its documents, as lists show it.
type Summary struct {
	ID      string // random; names the record in links
	Seq     int64  // order of filing; the key to page by
	Act     Act
	At      time.Time // UTC, milliseconds
	Elapsed time.Duration

	Verdict     string // the word of the answer: a status or an outcome
	ExitCode    int
	EngineCalls *int   // nil: not known
	Task        string // empty: not known, as is zero or empty below
	Trial       int
	Digest      string
}

// Record is one act as it was received and answered. It never changes.
type Record struct {
	Summary
	Request []byte // exact
	Answer  []byte // exact
	Receipt []byte // the unit receipt behind a run; nil for other acts
}

// MaxPage bounds one page of a list.
const MaxPage = 200

const summaryColumns = "seq, id, act, at_ms, elapsed_us, verdict, exit_code, engine_calls, task, trial, digest"

const (
	insertRecord = `INSERT INTO runner_record (id, act, at_ms, elapsed_us, request, answer, receipt, verdict, exit_code,
		engine_calls, task, trial, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	selectRecord  = "SELECT " + summaryColumns + ", request, answer, receipt FROM runner_record WHERE id = ?"
	selectLatest  = "SELECT " + summaryColumns + " FROM runner_record ORDER BY seq DESC LIMIT 1"
	selectByAct   = "SELECT " + summaryColumns + " FROM runner_record WHERE act = ? ORDER BY seq DESC LIMIT 1"
	selectRecords = "SELECT " + summaryColumns + " FROM runner_record WHERE seq < ? ORDER BY seq DESC LIMIT ?"
)

// FileRecord stores one act and gives it its id and sequence number, which it sets in the returned summary. When it
// returns without error the record is on the disk. Errors: ErrFull, ErrDamaged.
func (s *Store) FileRecord(ctx context.Context, r Record) (Summary, error) {
	r.ID = strings.ToLower(rand.Text())
	result, err := s.change(ctx, insertRecord, r.ID, string(r.Act), r.At.UnixMilli(), r.Elapsed.Microseconds(),
		present(r.Request), present(r.Answer), r.Receipt, r.Verdict, r.ExitCode,
		nullable(r.EngineCalls), unknownWhenZero(r.Task), unknownWhenZero(r.Trial), unknownWhenZero(r.Digest))
	if err != nil {
		return Summary{}, fmt.Errorf("file record of act %q: %w", r.Act, err)
	}
	if r.Seq, err = result.LastInsertId(); err != nil {
		return Summary{}, fmt.Errorf("file record of act %q: %w", r.Act, err)
	}
	return r.Summary, nil
}

// Record gives the record with an id, or ErrNotFound.
func (s *Store) Record(ctx context.Context, id string) (Record, error) {
	var r Record
	row := s.read.QueryRowContext(ctx, selectRecord, id)
	if err := s.scanSummary(row, &r.Summary, &r.Request, &r.Answer, &r.Receipt); err != nil {
		return Record{}, fmt.Errorf("read record %q: %w", id, err)
	}
	return r, nil
}

// LatestRecord gives the summary of the newest record of an act, or of any act when it is empty, or ErrNotFound.
func (s *Store) LatestRecord(ctx context.Context, act Act) (Summary, error) {
	query, args := selectLatest, []any(nil)
	if act != "" {
		query, args = selectByAct, []any{string(act)}
	}
	var latest Summary
	if err := s.scanSummary(s.read.QueryRowContext(ctx, query, args...), &latest); err != nil {
		return Summary{}, fmt.Errorf("read latest record: %w", err)
	}
	return latest, nil
}

// Records lists records newest first, those with a sequence number below before; zero begins with the newest. At
// most limit and at most MaxPage are given.
func (s *Store) Records(ctx context.Context, before int64, limit int) ([]Summary, error) {
	if before <= 0 {
		before = 1<<63 - 1
	}
	rows, err := s.read.QueryContext(ctx, selectRecords, before, min(max(limit, 1), MaxPage))
	if err != nil {
		return nil, fmt.Errorf("list records: %w", s.note(err))
	}
	defer rows.Close() // rows.Err tells what went wrong
	list := []Summary{}
	for rows.Next() {
		var one Summary
		if err := s.scanSummary(rows, &one); err != nil {
			return nil, fmt.Errorf("list records: %w", err)
		}
		list = append(list, one)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list records: %w", s.note(err))
	}
	return list, nil
}

type scanner interface{ Scan(...any) error }

func (s *Store) scanSummary(row scanner, to *Summary, documents ...any) error {
	var atMS, elapsedUS int64
	var calls, trial sql.NullInt64
	var task, digest sql.NullString
	targets := append([]any{&to.Seq, &to.ID, &to.Act, &atMS, &elapsedUS, &to.Verdict, &to.ExitCode, &calls, &task,
		&trial, &digest}, documents...)
	err := row.Scan(targets...)
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	if err != nil {
		return s.note(err)
	}
	to.At = time.UnixMilli(atMS).UTC()
	to.Elapsed = time.Duration(elapsedUS) * time.Microsecond
	if calls.Valid {
		n := int(calls.Int64)
		to.EngineCalls = &n
	}
	to.Task, to.Trial, to.Digest = task.String, int(trial.Int64), digest.String
	return nil
}

// present keeps an empty document apart from an absent one: the driver writes a nil slice as NULL.
func present(document []byte) []byte {
	if document == nil {
		return []byte{}
	}
	return document
}

func nullable(n *int) any {
	if n == nil {
		return nil
	}
	return *n
}

func unknownWhenZero[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}
