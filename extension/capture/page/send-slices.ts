import { encodeBase64 } from '../../platform/base64.ts';

/** Bytes of one slice on its way to the background; messages hold at most 64 MiB and base64 adds a third. */
const SLICE_BYTES = 3 * 1024 * 1024;

export type SendSlice = (index: number, base64: string) => Promise<void>;

/** Hands bytes out in order, one slice after the other is taken. @returns the number of slices */
export async function sendSlices(bytes: Uint8Array, send: SendSlice): Promise<number> {
  let slices = 0;
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    await send(slices, encodeBase64(bytes.subarray(at, at + SLICE_BYTES)));
    slices += 1;
  }
  return slices;
}
