/**
 * Second schema: pages stored split, fixity, backups, what a snapshot says about being stopped or in trouble,
 * and an index for every filter of the list of results.
 * `blob.is_split` is 1 for joined bytes that exist only as skeleton and parts; `blob_part` names those, so that they
 * live as long as the whole does. `blob.damage` says what the last look at the bytes found wrong. `crawl.delete_after`
 * (milliseconds) is the retention of its pages. `tombstone.folder` is set until the folder of what was deleted is gone.
 * Index files are written anew, because they hold the rows now.
 */
export const schemaTwo = `
ALTER TABLE output DROP COLUMN parts;

ALTER TABLE blob ADD COLUMN is_split INTEGER NOT NULL DEFAULT 0 CHECK (is_split IN (0, 1));
ALTER TABLE blob ADD COLUMN checked_at INTEGER;
ALTER TABLE blob ADD COLUMN damage TEXT;
CREATE INDEX blob_checked ON blob (checked_at, digest);
CREATE INDEX blob_damaged ON blob (digest) WHERE damage IS NOT NULL;
CREATE INDEX crawl_input ON crawl (input);

CREATE TABLE blob_part (
  whole TEXT NOT NULL REFERENCES blob (digest) ON DELETE CASCADE,
  part TEXT NOT NULL REFERENCES blob (digest),
  PRIMARY KEY (whole, part)) STRICT, WITHOUT ROWID;
CREATE INDEX blob_part_part ON blob_part (part, whole);

ALTER TABLE snapshot ADD COLUMN stop_reason TEXT;
ALTER TABLE snapshot ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE snapshot ADD COLUMN trouble TEXT;
ALTER TABLE snapshot ADD COLUMN found_by TEXT;
CREATE INDEX snapshot_trouble ON snapshot (due_at) WHERE attempts > 0;

CREATE TABLE counter (name TEXT NOT NULL PRIMARY KEY, n INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO counter (name, n) SELECT 'pages', count(*) FROM snapshot WHERE trashed_at IS NULL;
CREATE TRIGGER page_added AFTER INSERT ON snapshot WHEN NEW.trashed_at IS NULL BEGIN
  UPDATE counter SET n = n + 1 WHERE name = 'pages';
END;
CREATE TRIGGER page_removed AFTER DELETE ON snapshot WHEN OLD.trashed_at IS NULL BEGIN
  UPDATE counter SET n = n - 1 WHERE name = 'pages';
END;
CREATE TRIGGER page_trashed AFTER UPDATE OF trashed_at ON snapshot
  WHEN (NEW.trashed_at IS NULL) <> (OLD.trashed_at IS NULL) BEGIN
  UPDATE counter SET n = n + CASE WHEN NEW.trashed_at IS NULL THEN 1 ELSE -1 END WHERE name = 'pages';
END;

ALTER TABLE crawl ADD COLUMN first_run_at INTEGER;
ALTER TABLE crawl ADD COLUMN fetched_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE crawl ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE crawl ADD COLUMN trouble TEXT;

ALTER TABLE crawl ADD COLUMN delete_after INTEGER;
CREATE TRIGGER snapshot_retention AFTER INSERT ON snapshot
  WHEN NEW.delete_at IS NULL AND (SELECT delete_after FROM crawl WHERE id = NEW.crawl_id) IS NOT NULL BEGIN
  UPDATE snapshot SET delete_at = created_at + (SELECT delete_after FROM crawl WHERE id = NEW.crawl_id)
   WHERE id = NEW.id;
END;
UPDATE snapshot SET delete_at = trashed_at + 2592000000 WHERE trashed_at IS NOT NULL AND delete_at IS NULL;

UPDATE snapshot SET index_stale = 1;

ALTER TABLE tombstone ADD COLUMN folder TEXT;
CREATE INDEX tombstone_folder ON tombstone (id) WHERE folder IS NOT NULL;

CREATE TABLE upkeep (name TEXT NOT NULL PRIMARY KEY, done_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE backup (
  id TEXT NOT NULL PRIMARY KEY,
  created_at INTEGER NOT NULL,
  modified_at INTEGER NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1,
  folder TEXT NOT NULL,
  finished_at INTEGER,
  blobs INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX backup_finished ON backup (finished_at) WHERE finished_at IS NOT NULL;

DROP INDEX archive_result_started;
CREATE INDEX archive_result_status ON archive_result (status, id);
CREATE INDEX archive_result_plugin ON archive_result (plugin, id);
CREATE INDEX archive_result_hook ON archive_result (hook_name, id);
CREATE INDEX archive_result_process ON archive_result (process_id, id) WHERE process_id IS NOT NULL;
`;
