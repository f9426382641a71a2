/** The reason is a whole sentence without its full stop. */
export type AddressVerdict = { ok: true } | { ok: false; reason: string };
