/** The reason is the second half of a sentence: "<address> <reason>". */
export type AddressVerdict = { ok: true } | { ok: false; reason: string };
