/** First schema (DESIGN section 4). STRICT tables, times in integer milliseconds, ids UUIDv7 text. */
const common = `
  id TEXT NOT NULL PRIMARY KEY,
  created_at INTEGER NOT NULL,
  modified_at INTEGER NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1`;

const leased = `
  due_at INTEGER,
  lease_owner TEXT,
  lease_generation INTEGER NOT NULL DEFAULT 0,
  lease_expires_at INTEGER`;

const lifecycle = `TEXT NOT NULL CHECK (status IN ('queued','started','paused','sealed'))`;
const permission = `TEXT NOT NULL DEFAULT 'private' CHECK (permissions IN ('public','unlisted','private'))`;

const lifecycleTables = `
CREATE TABLE user (${common}, name TEXT NOT NULL UNIQUE) STRICT;

CREATE TABLE persona (${common}, name TEXT NOT NULL UNIQUE, config TEXT NOT NULL DEFAULT '{}', permissions ${permission}) STRICT;

CREATE TABLE crawl (${common}, ${leased},
  num_uses_succeeded INTEGER NOT NULL DEFAULT 0,
  num_uses_failed INTEGER NOT NULL DEFAULT 0,
  label TEXT NOT NULL DEFAULT '',
  input TEXT NOT NULL,
  input_records INTEGER NOT NULL DEFAULT 0,
  input_done INTEGER NOT NULL DEFAULT 0 CHECK (input_done IN (0, 1)),
  config TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(config)),
  max_depth INTEGER NOT NULL DEFAULT 0 CHECK (max_depth BETWEEN 0 AND 4),
  tags TEXT NOT NULL DEFAULT '',
  notes TEXT NOT NULL DEFAULT '',
  persona_id TEXT REFERENCES persona (id),
  schedule_id TEXT,
  permissions ${permission},
  status ${lifecycle},
  stop_reason TEXT,
  delete_at INTEGER,
  created_by TEXT NOT NULL REFERENCES user (id),
  CHECK (status IN ('sealed', 'paused') OR due_at IS NOT NULL)) STRICT;
CREATE INDEX crawl_due ON crawl (status, due_at, created_at);
CREATE INDEX crawl_created ON crawl (created_at, id);
CREATE INDEX crawl_delete ON crawl (delete_at) WHERE delete_at IS NOT NULL;

CREATE TABLE snapshot (${common}, ${leased},
  num_uses_succeeded INTEGER NOT NULL DEFAULT 0,
  num_uses_failed INTEGER NOT NULL DEFAULT 0,
  url TEXT NOT NULL,
  crawl_id TEXT NOT NULL REFERENCES crawl (id),
  parent_snapshot_id TEXT REFERENCES snapshot (id) ON DELETE SET NULL,
  depth INTEGER NOT NULL DEFAULT 0,
  timestamp TEXT NOT NULL UNIQUE,
  title TEXT,
  title_origin TEXT CHECK (title_origin IN ('hook','browser','user')),
  bookmarked_at INTEGER NOT NULL,
  downloaded_at INTEGER,
  source TEXT NOT NULL CHECK (source IN ('browser','companion','import')),
  expected_captures TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(expected_captures)),
  inputs_revision INTEGER NOT NULL DEFAULT 0,
  config TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(config)),
  permissions ${permission},
  status ${lifecycle},
  output_size INTEGER NOT NULL DEFAULT 0,
  fs_version TEXT NOT NULL DEFAULT '1',
  index_stale INTEGER NOT NULL DEFAULT 0,
  trashed_at INTEGER,
  delete_at INTEGER,
  notes TEXT NOT NULL DEFAULT '',
  created_by TEXT NOT NULL REFERENCES user (id)) STRICT;
CREATE UNIQUE INDEX snapshot_crawl_url ON snapshot (crawl_id, url) WHERE trashed_at IS NULL;
CREATE INDEX snapshot_due ON snapshot (status, due_at, created_at) WHERE due_at IS NOT NULL;
CREATE INDEX snapshot_due_browser ON snapshot (status, due_at, created_at) WHERE due_at IS NOT NULL AND source = 'browser';
CREATE INDEX snapshot_idle ON snapshot (status) WHERE due_at IS NULL AND status IN ('queued', 'started');
CREATE INDEX snapshot_crawl_due ON snapshot (crawl_id, status, due_at);
CREATE INDEX snapshot_bookmarked ON snapshot (bookmarked_at, id) WHERE trashed_at IS NULL;
CREATE INDEX snapshot_url ON snapshot (url, bookmarked_at) WHERE trashed_at IS NULL;
CREATE INDEX snapshot_parent ON snapshot (parent_snapshot_id) WHERE parent_snapshot_id IS NOT NULL;
CREATE INDEX snapshot_stale ON snapshot (status, id) WHERE index_stale = 1;
CREATE INDEX snapshot_trashed ON snapshot (trashed_at) WHERE trashed_at IS NOT NULL;
CREATE INDEX snapshot_delete ON snapshot (delete_at) WHERE delete_at IS NOT NULL;
CREATE INDEX snapshot_modified ON snapshot (modified_at, id);`;

const resultTables = `
CREATE TABLE archive_result (${common},
  snapshot_id TEXT NOT NULL REFERENCES snapshot (id) ON DELETE CASCADE,
  plugin TEXT NOT NULL,
  hook_name TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('started','succeeded','failed','skipped','noresults')),
  output_str TEXT NOT NULL DEFAULT '',
  output_json TEXT CHECK (output_json IS NULL OR json_valid(output_json)),
  origin TEXT NOT NULL CHECK (origin IN ('browser','derived','fetched')),
  process_id TEXT,
  started_at INTEGER,
  ended_at INTEGER,
  error TEXT,
  notes TEXT NOT NULL DEFAULT '',
  UNIQUE (snapshot_id, plugin, hook_name)) STRICT;
CREATE INDEX archive_result_started ON archive_result (status, id) WHERE status = 'started';
CREATE INDEX archive_result_modified ON archive_result (modified_at, id);

CREATE TABLE output (
  result_id TEXT NOT NULL REFERENCES archive_result (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  size INTEGER NOT NULL CHECK (size >= 0),
  mimetype TEXT NOT NULL,
  declared_type TEXT NOT NULL DEFAULT '',
  digest TEXT NOT NULL CHECK (digest LIKE 'sha256:%' AND length(digest) = 71),
  parts TEXT,
  upload TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (result_id, path)) STRICT, WITHOUT ROWID;
CREATE INDEX output_digest ON output (digest);

CREATE TRIGGER output_added AFTER INSERT ON output BEGIN
  UPDATE snapshot SET output_size = output_size + NEW.size
   WHERE id = (SELECT snapshot_id FROM archive_result WHERE id = NEW.result_id);
END;
CREATE TRIGGER output_changed AFTER UPDATE OF size ON output WHEN NEW.size <> OLD.size BEGIN
  UPDATE snapshot SET output_size = output_size + NEW.size - OLD.size
   WHERE id = (SELECT snapshot_id FROM archive_result WHERE id = NEW.result_id);
END;
CREATE TRIGGER output_removed BEFORE DELETE ON output BEGIN
  UPDATE snapshot SET output_size = output_size - OLD.size
   WHERE id = (SELECT snapshot_id FROM archive_result WHERE id = OLD.result_id);
END;

CREATE TABLE blob (digest TEXT NOT NULL PRIMARY KEY, size INTEGER NOT NULL, links INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX blob_created ON blob (created_at);

CREATE TABLE tombstone (id TEXT NOT NULL PRIMARY KEY, kind TEXT NOT NULL, url TEXT NOT NULL DEFAULT '',
  deleted_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX tombstone_deleted ON tombstone (deleted_at);

CREATE TABLE tag (${common}, name TEXT NOT NULL, name_folded TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE snapshot_tag (
  snapshot_id TEXT NOT NULL REFERENCES snapshot (id) ON DELETE CASCADE,
  tag_id TEXT NOT NULL REFERENCES tag (id) ON DELETE CASCADE,
  PRIMARY KEY (snapshot_id, tag_id)) STRICT, WITHOUT ROWID;
CREATE INDEX snapshot_tag_tag ON snapshot_tag (tag_id, snapshot_id);

CREATE TABLE receipt (${common}, crawl_id TEXT NOT NULL REFERENCES crawl (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  bucket TEXT NOT NULL CHECK (bucket IN ('created','merged','already_there','skipped','failed')),
  url TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '', snapshot_id TEXT, UNIQUE (crawl_id, position)) STRICT;`;

const machineTables = `
CREATE TABLE machine (${common}, guid TEXT NOT NULL UNIQUE, hostname TEXT NOT NULL, facts TEXT NOT NULL DEFAULT '{}') STRICT;

CREATE TABLE process (${common},
  machine_id TEXT NOT NULL REFERENCES machine (id),
  parent_id TEXT,
  type TEXT NOT NULL,
  worker_type TEXT NOT NULL DEFAULT '',
  pid INTEGER NOT NULL,
  pid_namespace TEXT NOT NULL DEFAULT '',
  pid_started_at TEXT NOT NULL DEFAULT '',
  version TEXT NOT NULL DEFAULT '',
  snapshot_id TEXT,
  generation INTEGER,
  hook_name TEXT,
  cmd TEXT NOT NULL DEFAULT '[]',
  cwd TEXT NOT NULL DEFAULT '',
  env TEXT NOT NULL DEFAULT '{}',
  exit_code INTEGER,
  stdout TEXT NOT NULL DEFAULT '',
  stderr TEXT NOT NULL DEFAULT '',
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  heartbeat_at INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('running','exited'))) STRICT;
CREATE UNIQUE INDEX process_active_runner ON process (machine_id)
  WHERE status = 'running' AND type = 'runner' AND worker_type = 'active';
CREATE INDEX process_running ON process (status, type) WHERE status = 'running';
CREATE INDEX process_snapshot ON process (snapshot_id, status) WHERE snapshot_id IS NOT NULL;

CREATE TABLE binary (${common}, machine_id TEXT NOT NULL REFERENCES machine (id), name TEXT NOT NULL, path TEXT, version TEXT,
  digest TEXT, status TEXT NOT NULL CHECK (status IN ('queued','installed')), due_at INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0, UNIQUE (machine_id, name)) STRICT;
CREATE INDEX binary_due ON binary (status, due_at) WHERE due_at IS NOT NULL;

CREATE TABLE crawl_schedule (${common}, template_crawl_id TEXT NOT NULL REFERENCES crawl (id), schedule TEXT NOT NULL,
  is_enabled INTEGER NOT NULL DEFAULT 1, config TEXT NOT NULL DEFAULT '{}', label TEXT NOT NULL DEFAULT '',
  notes TEXT NOT NULL DEFAULT '', last_run_at INTEGER) STRICT;`;

const accessTables = `
CREATE TABLE session (secret_hash TEXT NOT NULL PRIMARY KEY, user_id TEXT NOT NULL REFERENCES user (id),
  created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE one_time_code (id TEXT NOT NULL PRIMARY KEY, purpose TEXT NOT NULL CHECK (purpose IN ('pairing','login')),
  code_hash TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0, used_at INTEGER) STRICT, WITHOUT ROWID;
CREATE INDEX one_time_code_purpose ON one_time_code (purpose, expires_at);
CREATE TABLE pairing (${common}, name TEXT NOT NULL, user_id TEXT NOT NULL REFERENCES user (id), secret TEXT NOT NULL,
  origin TEXT NOT NULL, last_seen_at INTEGER, revoked_at INTEGER) STRICT;
CREATE TABLE api_token (${common}, token_hash TEXT NOT NULL UNIQUE, user_id TEXT NOT NULL REFERENCES user (id),
  pairing_id TEXT REFERENCES pairing (id), label TEXT NOT NULL DEFAULT '', expires_at INTEGER, last_used_at INTEGER,
  revoked_at INTEGER) STRICT;
CREATE INDEX api_token_pairing ON api_token (pairing_id) WHERE pairing_id IS NOT NULL;`;

export const schemaOne = [lifecycleTables, resultTables, machineTables, accessTables].join('\n');
