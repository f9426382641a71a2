/** What the unit starts. */
export interface ServiceCommand {
  /** Absolute paths of Node and of the command, with what follows. */
  command: readonly string[];
  /** Settings that the shell of this command had and a service would not. */
  environment: Readonly<Record<string, string>>;
}

/** A systemd user unit that runs the companion at login and again when it fails. */
export function systemdUnit({ command, environment }: ServiceCommand): string {
  const settings = Object.entries(environment).map(([name, value]) => `Environment=${quote(`${name}=${value}`)}`);
  return [
    '[Unit]',
    'Description=Holdfast keeps what you see on the web',
    'StartLimitIntervalSec=300',
    'StartLimitBurst=5',
    '',
    '[Service]',
    `ExecStart=${command.map((part) => quote(part.replaceAll('$', '$$$$'))).join(' ')}`,
    ...settings,
    'Restart=on-failure',
    'RestartSec=5',
    // The companion ends its own hooks in order; what is left after that is ended by systemd.
    'KillMode=mixed',
    'TimeoutStopSec=30',
    'UMask=0077',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n');
}

/** As systemd reads a word: quoted, with its percent signs taken literally. */
function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`;
}
