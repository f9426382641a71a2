/** Ids are UUIDv7 text, lower case with dashes. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Accepts a UUID with or without dashes in any case and returns the stored form, or undefined. */
export function normalizeId(text: string): string | undefined {
  const hex = text.trim().toLowerCase().replaceAll('-', '');
  if (!/^[0-9a-f]{32}$/.test(hex)) return undefined;
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

export function isId(text: string): boolean {
  return UUID.test(text);
}

let lastMs = 0;
let lastCounter = 0;

/** A new UUIDv7 (RFC 9562), increasing within this process also inside one millisecond. */
export function newId(nowMs: number = Date.now()): string {
  const ms = Math.max(nowMs, lastMs);
  lastCounter = ms === lastMs ? lastCounter + 1 : crypto.getRandomValues(new Uint16Array(1))[0]! & 0x3ff;
  // Twelve bits of counter; on overflow the clock is pushed on by one millisecond.
  lastMs = lastCounter > 0xfff ? ms + 1 : ms;
  if (lastCounter > 0xfff) lastCounter = 0;
  const time = lastMs.toString(16).padStart(12, '0');
  const random = crypto.getRandomValues(new Uint8Array(8));
  random[0] = (random[0]! & 0x3f) | 0x80;
  const tail = [...random].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const counter = lastCounter.toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter}-${tail.slice(0, 4)}-${tail.slice(4)}`;
}
