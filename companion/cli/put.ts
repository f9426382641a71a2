import type { Command } from 'commander';
import fs from 'node:fs/promises';
import path from 'node:path';
import { HoldfastError, isHoldfastError } from '../../shared/errors/holdfast-error.ts';
import { newId } from '../../shared/model/ids.ts';
import { witnessFiles, witnessPlugins, type WitnessKind } from '../../shared/model/states.ts';
import { routes } from '../../shared/protocol/routes.ts';
import { sizePhrase } from '../../shared/words/amounts.ts';
import type { Access } from '../auth/access.ts';
import { dataFolderOf, withKnownCollection } from './data-folder.ts';
import { printRecord, say } from './output.ts';
import { CompanionClient } from './put/companion-client.ts';
import { PutMemory, type PutState } from './put/put-state.ts';
import { digestOfFile, sendFile, whileAway } from './put/send-file.ts';
import { findRunningServer } from '../server-file.ts';

interface PutOptions {
  url: string;
  plugin?: string;
  path?: string;
  title?: string;
  server?: string;
  token?: string;
}

export function addCommand(program: Command): void {
  program
    .command('put <file>')
    .description('keep a file you have as the copy of a page; prints the id of its snapshot')
    .requiredOption('--url <address>', 'the page the file is a copy of')
    .option('--title <text>', 'title of the page')
    .option('--plugin <name>', 'which kind of copy it is (default: by the kind of file)')
    .option('--path <path>', "where it lies in the plugin's folder (default: by the kind of file)")
    .option('--server <address>', 'a companion elsewhere, such as http://127.0.0.1:8745; needs --token')
    .option('--token <token>', 'token of that companion (default: HOLDFAST_TOKEN)')
    .action(put);
}

/** Where the file goes, and by whose leave. */
interface Companion {
  address: () => URL;
  /** Undefined when the token was given. */
  makeToken: (() => Promise<{ id: string; token: string }>) | undefined;
  revokeToken: (id: string) => Promise<void>;
}

async function put(file: string, options: PutOptions, command: Command): Promise<void> {
  const size = await sizeOf(file);
  const place = {
    ...placeOf(file),
    ...(options.plugin && { plugin: options.plugin }),
    ...(options.path && { path: options.path }),
  };
  const digest = await digestOfFile(file, progress('Reading', size));
  const given = options.token ?? process.env['HOLDFAST_TOKEN'];
  if (options.server !== undefined && given === undefined) {
    throw new HoldfastError('bad_request', '--server needs --token: make one there with "holdfast token create".');
  }
  const facts = [options.server ?? '', given ?? '', options.url, place.plugin, place.path, digest];
  await withCompanion(command, options.server, given, async (companion) => {
    const memory = new PutMemory(path.join(dataFolderOf(command), 'cache'), facts);
    const state = (await memory.load()) ?? (await newState(companion));
    await memory.save(state);
    const client = new CompanionClient(companion.address, state.token?.secret ?? given ?? '');
    try {
      await makeSnapshot(client, state, options, place.plugin);
      await sendFile(client, { file, size, digest, ...place, snapshotId: state.snapshotId }, progress('Sending', size));
    } catch (error) {
      // What can never succeed is not tried again by the next command.
      if (isHoldfastError(error) && ['deleted', 'revoked', 'unauthenticated'].includes(error.code))
        await memory.forget();
      throw error;
    } finally {
      client.close();
    }
    if (state.token) await companion.revokeToken(state.token.id);
    await memory.forget();
    say('Kept on disk.');
    printRecord(state.snapshotId);
  });
}

async function newState(companion: Companion): Promise<PutState> {
  const made = await companion.makeToken?.();
  return { snapshotId: newId(), token: made ? { id: made.id, secret: made.token } : null };
}

async function makeSnapshot(
  client: CompanionClient,
  state: PutState,
  options: PutOptions,
  plugin: string,
): Promise<void> {
  const json = {
    id: state.snapshotId,
    url: options.url,
    // What the person brings is not fetched again.
    source: 'browser',
    expected_captures: [plugin],
    ...(options.title === undefined ? {} : { title: options.title, title_origin: 'user' }),
  };
  await whileAway(() => client.ask({ method: 'POST', path: routes.snapshots, json }));
}

async function withCompanion(
  command: Command,
  server: string | undefined,
  token: string | undefined,
  work: (companion: Companion) => Promise<void>,
): Promise<void> {
  if (server !== undefined) {
    const url = parseServer(server);
    return work({ address: () => url, makeToken: undefined, revokeToken: async () => undefined });
  }
  const { Access: AccessClass } = await import('../auth/access.ts');
  await withKnownCollection(command, async (collection) => {
    const access: Access = new AccessClass(collection);
    let last: URL | undefined;
    const address = (): URL => {
      const facts = findRunningServer(collection.layout);
      // A server that is starting again has no address yet: the old one is tried until it has.
      if (facts) last = new URL(`http://127.0.0.1:${facts.port}`);
      if (last) return last;
      throw new HoldfastError(
        'not_found',
        'No companion serves this collection; start it with "holdfast serve" and try again.',
      );
    };
    address();
    await work({
      address,
      makeToken: token === undefined ? () => access.newToken('holdfast put') : undefined,
      revokeToken: async (id) => void (await access.revokeToken(id)),
    });
  });
}

function parseServer(text: string): URL {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return new URL(text);
  throw new HoldfastError(
    'bad_request',
    `--server takes an address such as http://127.0.0.1:8745, not ${JSON.stringify(text)}.`,
  );
}

async function sizeOf(file: string): Promise<number> {
  const stat = await fs.stat(file);
  if (stat.isFile()) return stat.size;
  throw new HoldfastError('bad_request', `${file} is no file; give one file.`);
}

const kinds: Record<string, WitnessKind> = {
  '.html': 'dom',
  '.htm': 'dom',
  '.mhtml': 'mhtml',
  '.mht': 'mhtml',
  '.png': 'screenshot',
};

/** Pages and pictures go where the extension puts its own, so that text, links and PDF are made from them. */
function placeOf(file: string): { plugin: string; path: string } {
  const kind = kinds[path.extname(file).toLowerCase()];
  if (kind) return { plugin: witnessPlugins[kind], path: witnessFiles[kind] };
  return { plugin: 'put', path: path.basename(file) };
}

/** Says how far it is on stderr: on a terminal one line that is written over, else only the beginning. */
function progress(what: string, total: number): (bytes: number) => void {
  let shown = -1;
  return (bytes) => {
    const percent = total === 0 ? 100 : Math.floor((bytes / total) * 100);
    if (percent === shown) return;
    const first = shown === -1;
    shown = percent;
    if (process.stderr.isTTY)
      process.stderr.write(`\r${what} ${percent} % of ${sizePhrase(total)}${percent === 100 ? '\n' : ''}`);
    else if (first) say(`${what} ${sizePhrase(total)}.`);
  };
}
