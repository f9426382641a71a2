import { z } from 'zod';

/**
 * The first words of every session (DESIGN section 8). The extension sends a nonce; a paired companion answers with
 * proof = hex(HMAC-SHA256(pairing secret, helloMessage(nonce, port))). The port is part of the message, so that a
 * program on another port cannot pass the question on. Before the proof is checked no token and no page is sent.
 */
export const protocolVersion = 1;
export const companionName = 'holdfast';

export const helloRequestSchema = z.object({
  nonce: z.string().regex(/^[0-9a-f]{32,128}$/),
  /** Absent before pairing. */
  pairing_id: z.string().optional(),
  /** What the client is, for `doctor` and for the refusal of other versions. */
  client: z.object({ name: z.string().max(80), version: z.string().max(40), protocol: z.number().int() }).optional(),
});
export type HelloRequest = z.infer<typeof helloRequestSchema>;

export const helloResponseSchema = z.object({
  name: z.literal(companionName),
  version: z.string(),
  protocol: z.number().int(),
  /** Oldest protocol this companion still speaks. */
  protocol_oldest: z.number().int(),
  port: z.number().int(),
  /** Where the library lives, for links. */
  ui: z.string(),
  /** Null when no pairing id was sent; absent pairings answer `unknown_pairing: true`. */
  proof: z.string().nullable(),
  unknown_pairing: z.boolean(),
});
export type HelloResponse = z.infer<typeof helloResponseSchema>;

export function helloMessage(nonce: string, port: number): string {
  return `holdfast-hello|${nonce}|${port}`;
}

export const pairRequestSchema = z.object({
  /** Eight letters and digits as printed, dashes and case ignored. */
  code: z.string().min(1).max(40),
  /** Name of this browser for the list of pairings, for example "Chromium 156 on Linux". */
  name: z.string().max(120),
});
export const pairResponseSchema = z.object({
  pairing_id: z.string(),
  /** 64 hex characters; proves the companion in `hello`, never sent again. */
  secret: z.string(),
  /** Bearer token of this pairing. */
  token: z.string(),
  user: z.string(),
  /** Four words or groups both sides show. */
  fingerprint: z.string(),
});
export type PairResponse = z.infer<typeof pairResponseSchema>;
