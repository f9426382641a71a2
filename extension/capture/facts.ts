import { countPhrase } from '../../shared/words/amounts.ts';
import type { DomOutcome } from './dom.ts';
import type { OpenFile } from './file-sink.ts';
import type { PageDescription } from './page/describe-page.ts';
import type { LazyPassReport } from './page/lazy-pass.ts';
import type { PictureOutcome } from './picture-subject.ts';

/** What is known about one witness when the facts are written. Times are ISO 8601. */
export interface WitnessFact {
  outcome: string;
  note: string;
  startedAt: string | null;
  endedAt: string | null;
}

export interface CaptureFacts {
  captureId: string;
  capturedAt: string;
  extensionVersion: string;
  url: string;
  title: string;
  /** Null where no script may run. */
  page: PageDescription | null;
  lazyPass: LazyPassReport | null;
  frames: DomOutcome['frames'] | null;
  failedImages: string[];
  failedResources: { url: string; reason: string }[];
  picture: PictureOutcome | null;
  witnesses: Record<string, WitnessFact>;
  /** One sentence for each thing that could not be kept. */
  missing: string[];
}

/** Version of the shape of `facts.json`. */
const FACTS_VERSION = 1;

export async function writeFacts(facts: CaptureFacts, openFile: OpenFile): Promise<void> {
  const sink = await openFile('facts.json', 'application/json');
  try {
    await sink.write(new TextEncoder().encode(JSON.stringify({ version: FACTS_VERSION, ...facts }, null, 2)));
    await sink.close();
  } catch (error) {
    await sink.abandon();
    throw error;
  }
}

/** What could not be kept of the page itself, in sentences for a person. */
export function missingSentences(dom: DomOutcome, failedImages: string[], allSitesAllowed: boolean): string[] {
  const sentences: string[] = [];
  if (dom.partial !== '') sentences.push(dom.partial);
  const silent = dom.frames.seen - dom.frames.answered;
  if (silent > 0) {
    const why = allSitesAllowed ? 'no answer came' : 'Holdfast may not read other sites inside a page';
    sentences.push(`${countPhrase(silent, 'frame')} could not be kept: ${why}.`);
  }
  if (failedImages.length > 0) {
    sentences.push(`${countPhrase(failedImages.length, 'picture')} had not loaded on the page itself.`);
  }
  const failed = dom.report.failedResources.filter((resource) => !failedImages.includes(resource.url));
  if (failed.length > 0) {
    const why = allSitesAllowed ? failed[0]?.reason : 'Holdfast may not read from other sites';
    sentences.push(
      `${countPhrase(failed.length, 'picture or style', 'pictures or styles')} could not be kept: ${why}.`,
    );
  }
  return sentences;
}
