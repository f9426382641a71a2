import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runCli } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

it.runIf(process.platform === 'linux')(
  'writes a unit that starts this program on this data, and takes it away',
  async () => {
    const config = temporaryFolder();
    const data = path.join(temporaryFolder(), 'my data 100% "here" $HOME');
    const env = { XDG_CONFIG_HOME: config, HOLDFAST_PORT: '8999' };
    const file = path.join(config, 'systemd', 'user', 'holdfast.service');
    const installed = await runCli(data, ['service', 'install', '--no-start'], env);
    expect(installed).toMatchObject({ code: 0, lines: [file] });
    const unit = fs.readFileSync(file, 'utf8');
    expect(unit).toContain(`"--data" "${data.replace('%', '%%').replaceAll('"', '\\"').replace('$', '$$$$')}" "serve"`);
    expect(unit).toContain('Environment="HOLDFAST_PORT=8999"');
    const checked = spawnSync('systemd-analyze', ['verify', '--user', file], { encoding: 'utf8' });
    if (!checked.error) expect(checked.stderr).not.toContain('holdfast.service:');
    expect(await runCli(data, ['service', 'remove'], env)).toMatchObject({ code: 0, lines: [file] });
    expect(fs.existsSync(file)).toBe(false);
    expect((await runCli(data, ['service', 'remove'], env)).stderr).toContain('There is no service');
  },
);
