package store

import "context"

// scrub folds the log into the file and empties it, so that what was deleted is in neither: the file's own pages are
// overwritten by secure_delete. Where that cannot be done now it is owed and done after the next write.
func (s *Store) scrub(ctx context.Context) {
	var busy, frames, folded int
	// A client that goes away once the deletion is committed does not keep the bytes.
	row := s.write.QueryRowContext(context.WithoutCancel(ctx), "PRAGMA wal_checkpoint(TRUNCATE)")
	err := row.Scan(&busy, &frames, &folded)
	s.owed.Store(err != nil || busy != 0)
	_ = s.note(err) // remembers damage; the write that came before is whole
}
