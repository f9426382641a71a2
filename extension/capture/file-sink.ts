/** Takes the bytes of one file in order. Nothing of it counts before `close` has returned. */
export interface FileSink {
  write(bytes: Uint8Array): Promise<void>;
  /** Returns when the bytes were read again and are what was written. */
  close(): Promise<void>;
  /** Throws away what was written. */
  abandon(): Promise<void>;
}

/** Opens a file of a witness, for example `screenshot-1.png`. */
export type OpenFile = (path: string, mimetype: string) => Promise<FileSink>;
