package server

import (
	"context"

	"parley/backend/store"
)

// Records is what the server needs to file acts and to show them.
type Records interface {
	FileRecord(context.Context, store.Record) (store.Summary, error)
	Record(ctx context.Context, id string) (store.Record, error)
	Records(ctx context.Context, before int64, limit int) ([]store.Summary, error)
	LatestRecord(context.Context, store.Act) (store.Summary, error)
}

// Drafts is what the server needs to keep the editor's texts.
type Drafts interface {
	SaveDraft(context.Context, store.Draft) error
	Draft(ctx context.Context, name string) (store.Draft, error)
	DeleteDraft(ctx context.Context, name string) error
}

// Store is both.
type Store interface {
	Records
	Drafts
}

var _ Store = (*store.Store)(nil)
