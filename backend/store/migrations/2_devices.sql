CREATE TABLE device (
  seq                 INTEGER PRIMARY KEY AUTOINCREMENT,
  id                  TEXT    NOT NULL UNIQUE, -- UUID
  name                TEXT    NOT NULL,
  workspace_id        TEXT    NOT NULL,
  runtime_type        TEXT    NOT NULL,
  digest              TEXT    NOT NULL CHECK (length(digest) IN (0, 64)), -- SHA-256 in hex; '' once revoked
  environment_id      TEXT,                    -- NULL: bound to nothing, as in the two columns below
  session_id          TEXT,
  workspace_directory TEXT,
  created_at_ms       INTEGER NOT NULL,        -- UTC, milliseconds since 1970, as in the columns below
  last_seen_at_ms     INTEGER,                 -- NULL: never
  revoked_at_ms       INTEGER                  -- NULL: not revoked
) STRICT;

-- One Environment has one device that may connect.
CREATE UNIQUE INDEX device_by_environment ON device (environment_id)
  WHERE environment_id IS NOT NULL AND revoked_at_ms IS NULL;

CREATE TABLE executor_credential (
  seq                 INTEGER PRIMARY KEY AUTOINCREMENT,
  key_id              TEXT    NOT NULL UNIQUE, -- UUID
  environment_id      TEXT    NOT NULL,
  session_id          TEXT    NOT NULL,
  workspace_directory TEXT    NOT NULL,
  digest              TEXT    NOT NULL CHECK (length(digest) IN (0, 64)), -- SHA-256 in hex; '' once revoked
  device_id           TEXT    REFERENCES device (id), -- NULL: not enrolled yet
  created_at_ms       INTEGER NOT NULL,
  revoked_at_ms       INTEGER
) STRICT;

CREATE UNIQUE INDEX executor_credential_by_digest ON executor_credential (digest) WHERE digest <> '';
CREATE INDEX executor_credential_by_device ON executor_credential (device_id) WHERE device_id IS NOT NULL;
