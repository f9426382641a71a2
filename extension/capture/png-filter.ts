const NONE = 0;
const SUB = 1;
const UP = 2;

/**
 * Writes one PNG row with the filter that leaves the smallest differences (the usual guess for the best compression):
 * as it is, as difference to the left, or as difference to the row above.
 * @returns bytes written: one for the filter and the row
 */
export function filterRow(row: Uint8Array, above: Uint8Array, channels: number, out: Uint8Array): number {
  let none = 0;
  let sub = 0;
  let up = 0;
  for (let at = 0; at < row.length; at += 1) {
    const value = row[at]!;
    none += magnitude(value);
    sub += magnitude(value - (at >= channels ? row[at - channels]! : 0));
    up += magnitude(value - above[at]!);
  }
  const filter = up <= sub && up <= none ? UP : sub <= none ? SUB : NONE;
  out[0] = filter;
  for (let at = 0; at < row.length; at += 1) {
    const predicted = filter === UP ? above[at]! : filter === SUB && at >= channels ? row[at - channels]! : 0;
    out[at + 1] = row[at]! - predicted;
  }
  return row.length + 1;
}

function magnitude(difference: number): number {
  const byte = difference & 0xff;
  return byte < 128 ? byte : 256 - byte;
}
