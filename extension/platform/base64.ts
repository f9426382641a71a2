/** Newer engines do both in native code; the fallbacks work in slices so that no call gets too many arguments. */
interface NativeBytes {
  toBase64?: () => string;
}
interface NativeBytesConstructor {
  fromBase64?: (text: string) => Uint8Array<ArrayBuffer>;
}

const SLICE = 0x8000;

export function encodeBase64(bytes: Uint8Array): string {
  const native = (bytes as NativeBytes).toBase64;
  if (native) return native.call(bytes);
  let binary = '';
  for (let at = 0; at < bytes.length; at += SLICE) binary += String.fromCharCode(...bytes.subarray(at, at + SLICE));
  return btoa(binary);
}

export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const native = (Uint8Array as unknown as NativeBytesConstructor).fromBase64;
  if (native) return native.call(Uint8Array, text);
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
