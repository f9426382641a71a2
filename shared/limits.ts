/** Every default limit of the product, with its unit in the name (DESIGN, principle "everything has a limit"). */

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

export const limits = {
  /** Bytes of one upload chunk our own clients send. */
  uploadChunkBytes: 8 * MIB,
  /** Largest body of one upload request; the reference client sends 32 MiB chunks. */
  uploadBodyBytesMax: 256 * MIB,
  /** Largest single uploaded file. */
  uploadFileBytesMax: 8 * GIB,
  /** Most files one ArchiveResult may hold. */
  filesPerResultMax: 20_000,
  /** Most bytes one Snapshot may hold. */
  snapshotBytesMax: 64 * GIB,
  /** Free disk that is never given to uploads. */
  freeDiskBytesMin: 64 * MIB,
  /** Size of the reserve file that is given up when the disk is full. */
  reserveFileBytes: 8 * MIB,
  /** Body of the small JSON routes. */
  jsonBodyBytesMax: 4 * MIB,
  /** An upload whose sender says nothing for this long is taken as broken off; what arrived stays. */
  uploadStallMs: 120_000,
  /** A part nobody wrote to for this long is removed. */
  uploadSilentMs: 30 * 24 * 3600_000,
  /** A deleted page can be taken back for so long. */
  trashMs: 30 * 24 * 3600_000,
  /** Blobs without references older than this are pruned. */
  blobUnreferencedMs: 24 * 3600_000,
  /** Pages larger than this are stored whole: taking one apart needs a few times its size in memory. */
  splitBytesMax: 256 * MIB,
  /** Promotions through the gate at one time: more makes the tail explode. */
  gateConcurrency: 3,

  leaseMs: 60_000,
  heartbeatMs: 10_000,
  recoveryIntervalMs: 30_000,
  dataVersionPollMs: 1_500,
  /** A browser snapshot whose captures are outstanding looks at itself this often. */
  browserWaitMs: 24 * 3600_000,
  /** How long a runner that must go has between TERM and KILL. */
  killGraceMs: 5_000,

  hookTimeoutMs: 60_000,
  hookOutputBytesMax: 2 * GIB,
  hookStreamBytesMax: 1 * MIB,
  hookGraceMs: 15_000,
  browserIdleMs: 60_000,

  sqliteBusyTotalMs: 60_000,
  sqliteBusyNoticeMs: 2_000,
  /** How long a program that brings a new schema waits for others to close the collection. */
  upgradeWaitMs: 10_000,

  listPageMax: 500,
  listPageDefault: 200,
  searchRankedHitsMax: 2_000,
  /** Pages found only by a part of a word in title or address; they follow the ranked ones. */
  searchNameHitsMax: 200,
  /** Bytes of one recorded text that are indexed and looked through for snippets. */
  searchTextBytesMax: 4 * MIB,
  searchDeadlineMs: 20_000,

  urlLengthMax: 16_384,
  titleLengthMax: 512,
  tagLengthMax: 100,
  noteLengthMax: 100_000,

  pairingCodeMs: 10 * 60_000,
  pairingAttemptsMax: 5,
  loginCodeMs: 10 * 60_000,
  sessionMs: 14 * 24 * 3600_000,
  /** Thumbnails can be made again: some ten thousand are kept. */
  thumbnailCacheBytesMax: 256 * MIB,
  replayLabelMs: 12 * 3600_000,

  captureDeadlineMs: 12_000,
  mhtmlDeadlineMs: 30_000,
  screenshotHeightPxMax: 32_000,
  screenshotShotsMax: 120,
} as const;

export const defaultPort = 8745;
