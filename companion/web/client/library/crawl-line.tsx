import { useState } from 'preact/hooks';
import type { CrawlRecord } from '../../../../shared/model/api-records.ts';
import { stopSentences } from '../../../../shared/words/stop-reasons.ts';
import { getCrawl, patchCrawl } from '../api/collections.ts';
import { RequestFailed } from '../api/request.ts';
import { useLoad } from '../api/use-load.ts';
import { TimePhrase } from '../shell/time-phrase.tsx';
import { crawlName } from './crawl-name.ts';

const sentences: Record<CrawlRecord['status'], string> = {
  queued: 'Waits for its turn.',
  started: 'Under way.',
  paused: 'Paused. Nothing is lost; it goes on where it stopped.',
  sealed: 'Done.',
};

/** The crawl whose pages are listed: what it is, how it stands, and what can be done with it. */
export function CrawlLine({ id }: { id: string }) {
  const { value: crawl, failure, reload } = useLoad(`crawl ${id}`, () => getCrawl(id));
  const [refusal, setRefusal] = useState('');
  if (!crawl) return failure ? <p class="notice danger">{failure.message}</p> : null;
  const act = async (action: 'pause' | 'resume' | 'cancel') => {
    try {
      await patchCrawl(id, { action });
      setRefusal('');
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      setRefusal(error.message);
    }
    reload();
  };
  const isOpen = crawl.status !== 'sealed';
  const isPaused = crawl.status === 'paused';
  return (
    <section class="crawl-line" aria-label="This crawl">
      <div>
        <h2 dir="auto">{crawlName(crawl)}</h2>
        <p class="soft">
          Asked for <TimePhrase iso={crawl.created_at} />. <span role="status">{stateOf(crawl)}</span>
        </p>
        <div role="alert">{refusal === '' ? null : <p class="notice danger">Not changed. {refusal}</p>}</div>
      </div>
      {isOpen ? (
        <p class="button-line">
          <button type="button" class="button" onClick={() => void act(isPaused ? 'resume' : 'pause')}>
            {isPaused ? 'Go on' : 'Pause'}
          </button>
          <button type="button" class="button quiet" onClick={() => void act('cancel')}>
            Stop here
          </button>
        </p>
      ) : null}
    </section>
  );
}

function stateOf(crawl: CrawlRecord): string {
  if (crawl.status === 'sealed' && crawl.stop_reason === 'cancelled') return 'Stopped by you. What was kept stays.';
  const stopped = crawl.stop_reason === null ? undefined : stopSentences[crawl.stop_reason];
  if (stopped !== undefined) return `${sentences[crawl.status]} Not everything was taken: ${stopped}.`;
  if (crawl.trouble !== null && crawl.status !== 'sealed') return `${crawl.trouble} It is tried again.`;
  return sentences[crawl.status];
}
