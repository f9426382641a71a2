import type { CrawlRecord } from '../../../../shared/model/api-records.ts';
import { shortAddress } from './snapshot-view.ts';

/** Every capture is a crawl of one page; only those of several are a way to look at the library. */
export function isWorthListing(crawl: Pick<CrawlRecord, 'urls' | 'max_depth'>): boolean {
  return crawl.max_depth > 0 || lines(crawl.urls).length > 1;
}

/** Its label, else its first address and how many follow in what is known of the submitted text. */
export function crawlName(crawl: Pick<CrawlRecord, 'label' | 'urls'>): string {
  if (crawl.label.trim() !== '') return crawl.label.trim();
  const [first = 'Crawl', ...others] = lines(crawl.urls);
  return others.length === 0 ? shortAddress(first) : `${shortAddress(first)} and ${others.length} more`;
}

function lines(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
