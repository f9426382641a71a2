import { StringDecoder } from 'node:string_decoder';

/** The end of a stream, at most `bytesMax` bytes of it, with a count of everything that passed. */
export class StreamTail {
  #chunks: Buffer[] = [];
  #kept = 0;
  /** All bytes seen, kept or not. */
  totalBytes = 0;
  readonly #bytesMax: number;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  push(chunk: Buffer): void {
    this.totalBytes += chunk.length;
    this.#chunks.push(chunk);
    this.#kept += chunk.length;
    while (this.#kept > this.#bytesMax) {
      const first = this.#chunks[0];
      if (first === undefined) return;
      const surplus = this.#kept - this.#bytesMax;
      if (first.length > surplus) this.#chunks[0] = first.subarray(surplus);
      else this.#chunks.shift();
      this.#kept -= Math.min(first.length, surplus);
    }
  }

  /** The kept text; a first line in brackets says how much is missing before it. */
  toText(): string {
    const text = Buffer.concat(this.#chunks).toString('utf8');
    const missing = this.totalBytes - this.#kept;
    return missing === 0 ? text : `[${missing} bytes left out]\n${text}`;
  }
}

/** Cuts a stream into lines. A line longer than `bytesMax` is given up, so that a flood costs no memory. */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onLine: (line: string) => void;
  readonly #charactersMax: number;
  #rest = '';
  #isOverlong = false;

  constructor(charactersMax: number, onLine: (line: string) => void) {
    this.#charactersMax = charactersMax;
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    const pieces = this.#decoder.write(chunk).split('\n');
    const last = pieces.pop() ?? '';
    for (const piece of pieces) {
      this.#append(piece);
      this.#flush();
    }
    this.#append(last);
  }

  /** A last line without a line end counts too. */
  end(): void {
    this.#append(this.#decoder.end());
    if (this.#rest !== '') this.#flush();
  }

  #append(text: string): void {
    if (this.#rest.length + text.length > this.#charactersMax) {
      this.#isOverlong = true;
      this.#rest = '';
    }
    if (!this.#isOverlong) this.#rest += text;
  }

  #flush(): void {
    const line = this.#rest.endsWith('\r') ? this.#rest.slice(0, -1) : this.#rest;
    const isOverlong = this.#isOverlong;
    this.#rest = '';
    this.#isOverlong = false;
    if (!isOverlong) this.#onLine(line);
  }
}
