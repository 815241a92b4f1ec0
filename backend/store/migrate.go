package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
)

// applicationID marks our files in the SQLite header: "PRLY".
const applicationID = 0x50524C59

//go:embed migrations/*.sql
var scripts embed.FS

// migrations lists the scripts in order; the n-th brings a file to schema version n. A released script never changes.
func migrations() []string {
	return []string{
		"migrations/1_records_and_drafts.sql",
		"migrations/2_devices.sql",
		"migrations/3_sessions.sql",
	}
}

// SchemaVersion is the schema that this program writes.
func SchemaVersion() int { return len(migrations()) }

// migrate brings the schema up to date, one transaction a script, so that a crash leaves a whole version.
func migrate(ctx context.Context, db *sql.DB, path string) error {
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return fmt.Errorf("read schema version: %w", translate(err))
	}
	if version > SchemaVersion() { // found in the log only now
		return &NewerError{Path: path, Found: version, Here: SchemaVersion()}
	}
	for i, name := range migrations() {
		if i < version {
			continue
		}
		if err := apply(ctx, db, name, i+1); err != nil {
			return fmt.Errorf("migrate to schema version %d: %w", i+1, translate(err))
		}
	}
	return nil
}

// apply runs one script, unless another program that opened the file at the same time has done so meanwhile.
func apply(ctx context.Context, db *sql.DB, name string, version int) error {
	script, err := scripts.ReadFile(name)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // reports an error after Commit, which is of no interest
	var found int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&found); err != nil || found >= version {
		return err
	}
	// The pragmas take no parameters; both numbers are ours.
	text := fmt.Sprintf("%s\nPRAGMA application_id = %d; PRAGMA user_version = %d;", script, applicationID, version)
	if _, err := tx.ExecContext(ctx, text); err != nil {
		return err
	}
	return tx.Commit()
}
