-- place is the order of filing, never used twice: lists are paged by it, and rows of other tables name a row by it.
-- Moments are UTC, milliseconds since 1970; NULL: not yet, or never.

CREATE TABLE agent (
  place         INTEGER PRIMARY KEY AUTOINCREMENT,
  id            TEXT    NOT NULL UNIQUE,
  config        BLOB    NOT NULL,
  created_at_ms INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE session (
  place             INTEGER PRIMARY KEY AUTOINCREMENT,
  id                TEXT    NOT NULL UNIQUE, -- UUID
  agent_id          TEXT    NOT NULL,        -- the agent itself may be gone
  agent             BLOB    NOT NULL,        -- as it was when the Session was made
  metadata          BLOB    NOT NULL,
  native_id         TEXT    NOT NULL DEFAULT '',
  native_started    INTEGER NOT NULL DEFAULT 0 CHECK (native_started IN (0, 1)),
  device_id         TEXT    NOT NULL DEFAULT '',
  declaration       BLOB,
  applied           INTEGER NOT NULL DEFAULT 0, -- the cursor
  inputs            INTEGER NOT NULL DEFAULT 0, -- counted when they are filed, as the two below
  turns             INTEGER NOT NULL DEFAULT 0,
  events            INTEGER NOT NULL DEFAULT 0,
  request_key       TEXT,                       -- identity of the request that made it; NULL: none
  request_digest    BLOB,
  created_at_ms     INTEGER NOT NULL,
  last_active_at_ms INTEGER NOT NULL,
  CHECK (applied BETWEEN 0 AND inputs)
) STRICT;

CREATE INDEX session_by_agent ON session (agent_id, place);
CREATE UNIQUE INDEX session_by_request ON session (request_key) WHERE request_key IS NOT NULL;

CREATE TABLE environment (
  place             INTEGER PRIMARY KEY AUTOINCREMENT,
  id                TEXT    NOT NULL UNIQUE, -- UUID
  session           INTEGER NOT NULL UNIQUE REFERENCES session (place) ON DELETE CASCADE,
  type              TEXT    NOT NULL,
  device_id         TEXT    NOT NULL,
  workspace         TEXT    NOT NULL,
  state             TEXT    NOT NULL CHECK (state IN ('pending', 'connected', 'disconnected', 'failed', 'expired')),
  init              TEXT    NOT NULL CHECK (init IN ('pending', 'running', 'complete', 'failed')),
  steps             BLOB    NOT NULL,
  error_code        TEXT    NOT NULL DEFAULT '',
  created_at_ms     INTEGER NOT NULL,
  initialized_at_ms INTEGER
) STRICT;

CREATE INDEX environment_by_device ON environment (device_id, place) WHERE device_id <> '';
CREATE INDEX environment_to_initialize ON environment (place) WHERE init = 'pending';
CREATE INDEX environment_initializing ON environment (place) WHERE init = 'running';
CREATE INDEX environment_connected ON environment (place) WHERE state = 'connected';

CREATE TABLE turn (
  place           INTEGER PRIMARY KEY AUTOINCREMENT,
  id              TEXT    NOT NULL UNIQUE, -- UUID
  session         INTEGER NOT NULL REFERENCES session (place) ON DELETE CASCADE,
  seq             INTEGER NOT NULL,        -- within the Session, from 1
  status          TEXT    NOT NULL CHECK (status IN ('queued', 'in_progress', 'waiting', 'completed', 'failed', 'cancelled')),
  run_id          TEXT    NOT NULL DEFAULT '',
  device_id       TEXT    NOT NULL DEFAULT '',
  cancel_at_ms    INTEGER,
  outcome         BLOB,
  usage           BLOB,
  error_code      TEXT    NOT NULL DEFAULT '',
  events          INTEGER NOT NULL DEFAULT 0, -- kept for it, and their bytes
  event_bytes     INTEGER NOT NULL DEFAULT 0,
  created_at_ms   INTEGER NOT NULL,
  started_at_ms   INTEGER,
  completed_at_ms INTEGER,
  UNIQUE (session, seq),
  CHECK (status IN ('completed', 'failed', 'cancelled') OR outcome IS NULL AND completed_at_ms IS NULL)
) STRICT;

-- A Session has one Turn that has not ended.
CREATE UNIQUE INDEX turn_active ON turn (session) WHERE status IN ('queued', 'in_progress', 'waiting');
CREATE INDEX turn_queued ON turn (place) WHERE status = 'queued';
CREATE INDEX turn_running ON turn (place) WHERE status IN ('in_progress', 'waiting');

CREATE TRIGGER turn_stays_ended
BEFORE UPDATE OF id, session, seq, status, run_id, device_id, cancel_at_ms, outcome, usage, error_code, created_at_ms,
  started_at_ms, completed_at_ms ON turn
WHEN OLD.status IN ('completed', 'failed', 'cancelled')
BEGIN SELECT RAISE(ABORT, 'a Turn that has ended never changes'); END;

CREATE TRIGGER turn_goes_with_its_session BEFORE DELETE ON turn
WHEN EXISTS (SELECT 1 FROM session WHERE place = OLD.session)
BEGIN SELECT RAISE(ABORT, 'a Turn goes with its Session only'); END;

CREATE TABLE input (
  session       INTEGER NOT NULL REFERENCES session (place) ON DELETE CASCADE,
  seq           INTEGER NOT NULL, -- within the Session, from 1
  turn          INTEGER,          -- place of it; NULL: a cancel of an idle Session
  kind          TEXT    NOT NULL CHECK (kind IN ('message', 'cancel', 'tool_result')),
  call_id       TEXT    NOT NULL DEFAULT '',
  payload       BLOB    NOT NULL,
  created_at_ms INTEGER NOT NULL,
  UNIQUE (session, seq)
) STRICT;

CREATE INDEX input_by_turn ON input (turn, kind, seq) WHERE turn IS NOT NULL;

CREATE TRIGGER input_never_changes BEFORE UPDATE ON input
BEGIN SELECT RAISE(ABORT, 'an input never changes'); END;

CREATE TRIGGER input_goes_with_its_session BEFORE DELETE ON input
WHEN EXISTS (SELECT 1 FROM session WHERE place = OLD.session)
BEGIN SELECT RAISE(ABORT, 'an input goes with its Session only'); END;

CREATE TABLE input_batch (
  session INTEGER NOT NULL REFERENCES session (place) ON DELETE CASCADE,
  key     TEXT    NOT NULL,
  digest  BLOB    NOT NULL CHECK (length(digest) = 32),
  first   INTEGER NOT NULL, -- its inputs, by their seq
  last    INTEGER NOT NULL,
  PRIMARY KEY (session, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE call (
  place         INTEGER PRIMARY KEY AUTOINCREMENT,
  session       INTEGER NOT NULL REFERENCES session (place) ON DELETE CASCADE,
  turn          INTEGER NOT NULL, -- place of it
  call_id       TEXT    NOT NULL,
  name          TEXT    NOT NULL,
  arguments     BLOB    NOT NULL,
  native_id     TEXT    NOT NULL,
  child_turn    TEXT    NOT NULL,
  state         TEXT    NOT NULL CHECK (state IN ('open', 'answered', 'applied', 'failed', 'withdrawn')),
  result        BLOB,
  created_at_ms INTEGER NOT NULL,
  settled_at_ms INTEGER,
  UNIQUE (turn, call_id)
) STRICT;

CREATE INDEX call_by_session ON call (session);
CREATE INDEX call_by_turn ON call (turn, place);
CREATE INDEX call_open ON call (turn) WHERE state = 'open';

CREATE TABLE event (
  session INTEGER NOT NULL REFERENCES session (place) ON DELETE CASCADE,
  seq     INTEGER NOT NULL, -- within the Session, from 1
  turn    INTEGER,          -- place of it; NULL: of the Session
  type    TEXT    NOT NULL,
  payload BLOB    NOT NULL,
  at_ms   INTEGER NOT NULL,
  UNIQUE (session, seq)
) STRICT;

CREATE TRIGGER event_never_changes BEFORE UPDATE ON event
BEGIN SELECT RAISE(ABORT, 'an event never changes'); END;

CREATE TRIGGER event_goes_with_its_session BEFORE DELETE ON event
WHEN EXISTS (SELECT 1 FROM session WHERE place = OLD.session)
BEGIN SELECT RAISE(ABORT, 'an event goes with its Session only'); END;

CREATE TABLE item (
  place   INTEGER PRIMARY KEY AUTOINCREMENT,
  id      TEXT    NOT NULL,
  session INTEGER NOT NULL REFERENCES session (place) ON DELETE CASCADE,
  turn    INTEGER NOT NULL, -- place of it
  idx     INTEGER NOT NULL, -- within the Turn
  kind    TEXT    NOT NULL,
  payload BLOB    NOT NULL,
  UNIQUE (session, id)
) STRICT;

CREATE INDEX item_by_session ON item (session, place);
CREATE INDEX item_by_turn ON item (turn, place);

CREATE TABLE write_intent (
  place         INTEGER PRIMARY KEY AUTOINCREMENT,
  id            TEXT    NOT NULL UNIQUE, -- UUID
  environment   INTEGER NOT NULL REFERENCES environment (place) ON DELETE CASCADE,
  path          TEXT    NOT NULL,
  size          INTEGER NOT NULL,
  digest        TEXT    NOT NULL,
  state         TEXT    NOT NULL CHECK (state IN ('pending', 'completed', 'rejected', 'unknown')),
  code          TEXT    NOT NULL DEFAULT '',
  created_at_ms INTEGER NOT NULL,
  settled_at_ms INTEGER
) STRICT;

CREATE INDEX write_intent_by_environment ON write_intent (environment, place);
-- One write at a time; one whose end is not known keeps its place for ever.
CREATE UNIQUE INDEX write_intent_blocking ON write_intent (environment) WHERE state IN ('pending', 'unknown');
CREATE INDEX write_intent_pending ON write_intent (place) WHERE state = 'pending';

CREATE TABLE api_key (
  place           INTEGER PRIMARY KEY AUTOINCREMENT,
  id              TEXT    NOT NULL UNIQUE,
  name            TEXT    NOT NULL,
  digest          TEXT    NOT NULL CHECK (length(digest) IN (0, 64)), -- SHA-256 in hex; '' once revoked
  created_at_ms   INTEGER NOT NULL,
  last_used_at_ms INTEGER,
  revoked_at_ms   INTEGER
) STRICT;

CREATE UNIQUE INDEX api_key_by_digest ON api_key (digest) WHERE digest <> '';
