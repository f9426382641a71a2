/** What `npm run torture -- --minutes N --seed S` asks for; undefined in `npm test`, where everything is short. */
export const torture =
  process.env['HOLDFAST_SUITE'] === 'torture'
    ? {
        seed: Number(process.env['HOLDFAST_TORTURE_SEED'] ?? 1),
        /** Milliseconds UTC. */
        until: Date.now() + Number(process.env['HOLDFAST_TORTURE_MINUTES'] ?? 5) * 60_000,
      }
    : undefined;

/** The same numbers for the same seed, between 0 and 1 (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
