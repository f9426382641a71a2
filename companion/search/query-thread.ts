import fs from 'node:fs';
import type { MessagePort } from 'node:worker_threads';
import { HoldfastError, isHoldfastError } from '../../shared/errors/holdfast-error.ts';
import { Layout } from '../collection/layout.ts';
import { findPages, type Found } from './find-pages.ts';
import { makeSnippet, snippetPattern, type SnippetSegment } from './make-snippet.ts';
import { readRecordedText } from './recorded-text.ts';
import { isDamage, openForQueries, type SearchDatabase } from './search-database.ts';
import type { Envelope, ReplyError, SearchReply, SearchRequest, WorkerMessage } from './worker-messages.ts';

/** Bytes of a text that are looked through for a snippet, and the time all snippets of an answer may take. */
const snippetTextBytesMax = 1024 * 1024;
const snippetsMs = 500;

class Abandoned extends Error {}

/** Answers queries one after the other, each given up as soon as nobody waits for it. */
export function runQueryThread(root: string, port: MessagePort): void {
  const queries = new Queries(new Layout(root));
  const post = (message: WorkerMessage): void => port.postMessage(message);
  port.on('message', (message: Envelope | 'close') => {
    if (message === 'close') {
      queries.close();
      port.close();
      return;
    }
    if (message.request.kind !== 'search') throw new Error(`not a query: ${message.request.kind}`);
    try {
      post({
        kind: 'reply',
        id: message.id,
        value: queries.answer(message.request, new Int32Array(message.abandoned)),
      });
    } catch (error) {
      post({ kind: 'failure', id: message.id, error: toReplyError(error) });
    }
  });
}

class Queries {
  private readonly layout: Layout;
  private open: { database: SearchDatabase; inode: number } | undefined;
  private stillWanted: () => void = () => undefined;

  constructor(layout: Layout) {
    this.layout = layout;
  }

  answer(request: SearchRequest, abandoned: Int32Array): SearchReply {
    this.stillWanted = () => {
      if (Atomics.load(abandoned, 0) === 1) throw new Abandoned('nobody waits for this search any more');
      if (Date.now() > request.deadlineAt) {
        throw new HoldfastError('busy', 'This search takes too long; add a word, a tag or a date to narrow it.');
      }
    };
    this.stillWanted();
    const found = findPages(this.database(), request.query, request);
    const { ids, snippets } = this.withSnippets(found);
    const { total, isAtLeast, next, understood, note } = found;
    return { ids, total, isAtLeast, next, understood, snippets, note };
  }

  close(): void {
    this.open?.database.close();
    this.open = undefined;
  }

  private withSnippets(found: Found): { ids: string[]; snippets: [string, SnippetSegment[]][] } {
    const pattern = snippetPattern(found.conditions);
    const until = performance.now() + snippetsMs;
    const snippets: [string, SnippetSegment[]][] = [];
    for (const page of found.pages) {
      if (pattern === undefined || page.digest === null || performance.now() > until) continue;
      this.stillWanted();
      const text = readRecordedText(this.layout, page.digest, snippetTextBytesMax);
      if (text !== undefined && text.trim() !== '') snippets.push([page.snapshotId, makeSnippet(text, pattern)]);
    }
    return { ids: found.pages.map((page) => page.snapshotId), snippets };
  }

  /** The open index; opened again when it was made anew, here or by another process. */
  private database(): SearchDatabase {
    const file = this.layout.searchDatabase();
    const inode = fs.statSync(file).ino;
    if (this.open?.inode === inode) return this.open.database;
    this.close();
    const database = openForQueries(file);
    database.function('still_wanted', { deterministic: false }, () => {
      this.stillWanted();
      return 1;
    });
    this.open = { database, inode };
    return database;
  }
}

function toReplyError(error: unknown): ReplyError {
  if (error instanceof Abandoned) return { code: 'abandoned', message: error.message };
  if (isHoldfastError(error)) return { code: error.code, message: error.message };
  if (isDamage(error)) return { code: 'damaged', message: (error as Error).message };
  return { code: 'internal', message: `The search failed: ${error instanceof Error ? error.message : String(error)}` };
}
