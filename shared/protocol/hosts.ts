/** Name of the UI's own origin; it resolves to this machine in every current browser. */
export const uiHostName = 'holdfast.localhost';

/** Origins of the UI: its own name, and the address it falls back to where the name does not resolve. */
export function uiOrigins(port: number): string[] {
  const suffix = port === 80 ? '' : `:${port}`;
  return [`http://${uiHostName}${suffix}`, `http://127.0.0.1${suffix}`];
}

/** The snapshot host that holds no snapshot: one picture there tells whether names below `localhost` resolve. */
export const probeLabel = 'probe';

/** Address of that picture; the UI's policy allows exactly this one. */
export function probeAddress(port: number): string {
  return `http://${probeLabel}.localhost${port === 80 ? '' : `:${port}`}/probe.svg`;
}
