CREATE TABLE runner_record (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,
  id           TEXT    NOT NULL UNIQUE,
  act          TEXT    NOT NULL CHECK (act IN ('negotiate', 'validate', 'run')),
  at_ms        INTEGER NOT NULL, -- UTC, milliseconds since 1970
  elapsed_us   INTEGER NOT NULL,
  request      BLOB    NOT NULL, -- the bytes as they were received
  answer       BLOB    NOT NULL, -- the bytes as they were answered
  receipt      BLOB,             -- the unit receipt behind a run
  verdict      TEXT    NOT NULL,
  exit_code    INTEGER NOT NULL,
  engine_calls INTEGER,          -- NULL: not known
  task         TEXT,             -- NULL: not known, as in the two columns below
  trial        INTEGER,
  digest       TEXT
) STRICT;

CREATE INDEX runner_record_by_act ON runner_record (act, seq);

CREATE TRIGGER runner_record_never_changes BEFORE UPDATE ON runner_record
BEGIN SELECT RAISE(ABORT, 'a runner record never changes'); END;

CREATE TRIGGER runner_record_never_goes BEFORE DELETE ON runner_record
BEGIN SELECT RAISE(ABORT, 'a runner record is never deleted'); END;

CREATE TABLE draft (
  name          TEXT    NOT NULL PRIMARY KEY,
  body          BLOB    NOT NULL,
  updated_at_ms INTEGER NOT NULL -- UTC, milliseconds since 1970
) STRICT, WITHOUT ROWID;
