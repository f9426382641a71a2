/** A piece of a file, in bytes. */
export interface ByteRange {
  /** First byte, counted from 0. */
  start: number;
  /** Last byte, inclusive. */
  end: number;
}
