import type {
  LifecycleStatus,
  Permission,
  ResultOrigin,
  ResultStatus,
  SnapshotSource,
  TitleOrigin,
} from '../../../shared/model/states.ts';

/** Columns every record has: times are integer milliseconds UTC, `revision` fences concurrent writers. */
interface Common {
  id: string;
  created_at: number;
  modified_at: number;
  revision: number;
}

interface Leased {
  due_at: number | null;
  lease_owner: string | null;
  lease_generation: number;
  lease_expires_at: number | null;
}

export interface CrawlRow extends Common, Leased {
  num_uses_succeeded: number;
  num_uses_failed: number;
  label: string;
  input: string;
  input_records: number;
  input_done: number;
  config: string;
  max_depth: number;
  tags: string;
  notes: string;
  persona_id: string | null;
  schedule_id: string | null;
  permissions: Permission;
  status: LifecycleStatus;
  stop_reason: string | null;
  delete_at: number | null;
  /** Milliseconds its pages are kept; NULL for ever. */
  delete_after: number | null;
  created_by: string;
  /** When its first snapshot was begun. */
  first_run_at: number | null;
  /** Bytes its hooks brought, each run counted once. */
  fetched_bytes: number;
  /** Readings of its text in a row that ended in an internal error. */
  attempts: number;
  /** What the last of them said. */
  trouble: string | null;
}

export interface SnapshotRow extends Common, Leased {
  num_uses_succeeded: number;
  num_uses_failed: number;
  url: string;
  crawl_id: string;
  parent_snapshot_id: string | null;
  depth: number;
  timestamp: string;
  title: string | null;
  title_origin: TitleOrigin | null;
  bookmarked_at: number;
  downloaded_at: number | null;
  source: SnapshotSource;
  expected_captures: string;
  inputs_revision: number;
  config: string;
  permissions: Permission;
  status: LifecycleStatus;
  output_size: number;
  fs_version: string;
  index_stale: number;
  trashed_at: number | null;
  delete_at: number | null;
  notes: string;
  created_by: string;
  /** Why it was sealed without running everything. */
  stop_reason: string | null;
  /** Runs in a row that ended in an internal error; decides the next delay. */
  attempts: number;
  /** What the last of them said. */
  trouble: string | null;
  /** Plugin that found the link to it. */
  found_by: string | null;
}

export interface ArchiveResultRow extends Common {
  snapshot_id: string;
  plugin: string;
  hook_name: string;
  status: ResultStatus;
  output_str: string;
  output_json: string | null;
  origin: ResultOrigin;
  process_id: string | null;
  started_at: number | null;
  ended_at: number | null;
  error: string | null;
  notes: string;
}

export interface OutputRow {
  result_id: string;
  path: string;
  size: number;
  mimetype: string;
  declared_type: string;
  digest: string;
  upload: string | null;
  created_at: number;
}

export interface BlobRow {
  digest: string;
  /** Bytes; of the joined page when it is stored split. */
  size: number;
  links: number;
  created_at: number;
  is_split: number;
  /** When its bytes were last read and found right. */
  checked_at: number | null;
  /** What the last look found wrong. */
  damage: string | null;
}

/** Skeleton or part of a page that is stored split. */
export interface BlobPartRow {
  whole: string;
  part: string;
}

export interface BackupRow extends Common {
  folder: string;
  finished_at: number | null;
  blobs: number;
  bytes: number;
}

export interface TombstoneRow {
  id: string;
  kind: string;
  url: string;
  deleted_at: number;
  /** Relative to the data folder, until it is gone. */
  folder: string | null;
}

/** When a task of idle upkeep was last done. */
export interface UpkeepRow {
  name: string;
  done_at: number;
}

export interface TagRow extends Common {
  name: string;
  name_folded: string;
}

export interface SnapshotTagRow {
  snapshot_id: string;
  tag_id: string;
}

export interface ProcessRow extends Common {
  machine_id: string;
  parent_id: string | null;
  type: string;
  worker_type: string;
  pid: number;
  pid_namespace: string;
  pid_started_at: string;
  version: string;
  snapshot_id: string | null;
  generation: number | null;
  hook_name: string | null;
  cmd: string;
  cwd: string;
  env: string;
  exit_code: number | null;
  stdout: string;
  stderr: string;
  started_at: number;
  ended_at: number | null;
  heartbeat_at: number;
  status: 'running' | 'exited';
}

export interface MachineRow extends Common {
  guid: string;
  hostname: string;
  facts: string;
}

export interface BinaryRow extends Common {
  machine_id: string;
  name: string;
  path: string | null;
  version: string | null;
  digest: string | null;
  status: 'queued' | 'installed';
  due_at: number | null;
  attempts: number;
}

export interface PersonaRow extends Common {
  name: string;
  config: string;
  permissions: Permission;
}

export interface CrawlScheduleRow extends Common {
  template_crawl_id: string;
  schedule: string;
  is_enabled: number;
  config: string;
  label: string;
  notes: string;
  last_run_at: number | null;
}

export interface ReceiptRow extends Common {
  crawl_id: string;
  position: number;
  bucket: 'created' | 'merged' | 'already_there' | 'skipped' | 'failed';
  url: string;
  reason: string;
  snapshot_id: string | null;
}

export interface UserRow extends Common {
  name: string;
}

export interface SessionRow {
  secret_hash: string;
  user_id: string;
  created_at: number;
  expires_at: number;
}

export interface OneTimeCodeRow {
  id: string;
  purpose: 'pairing' | 'login';
  code_hash: string;
  created_at: number;
  expires_at: number;
  attempts: number;
  used_at: number | null;
}

export interface PairingRow extends Common {
  name: string;
  user_id: string;
  secret: string;
  origin: string;
  last_seen_at: number | null;
  revoked_at: number | null;
}

export interface ApiTokenRow extends Common {
  token_hash: string;
  user_id: string;
  pairing_id: string | null;
  label: string;
  expires_at: number | null;
  last_used_at: number | null;
  revoked_at: number | null;
}

/** A number that would take a walk over a big table; triggers keep it. */
export interface CounterRow {
  name: string;
  n: number;
}

export interface Tables {
  counter: CounterRow;
  crawl: CrawlRow;
  snapshot: SnapshotRow;
  archive_result: ArchiveResultRow;
  output: OutputRow;
  blob: BlobRow;
  blob_part: BlobPartRow;
  backup: BackupRow;
  tombstone: TombstoneRow;
  upkeep: UpkeepRow;
  tag: TagRow;
  snapshot_tag: SnapshotTagRow;
  process: ProcessRow;
  machine: MachineRow;
  binary: BinaryRow;
  persona: PersonaRow;
  crawl_schedule: CrawlScheduleRow;
  receipt: ReceiptRow;
  user: UserRow;
  session: SessionRow;
  one_time_code: OneTimeCodeRow;
  pairing: PairingRow;
  api_token: ApiTokenRow;
}
