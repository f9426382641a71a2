import type { AddressVerdict } from '../../shared/url/address-verdict.ts';
import { parseObject } from '../collection/records/common.ts';
import type { CrawlRow } from '../collection/records/tables.ts';
import { createAddressFilter } from '../import/address-filter.ts';
import type { RunnerContext } from './runner-context.ts';

/** Whether an address may become a page of this crawl: the rules for every address first, then the crawl's own lists. */
export function addressCheckOf(
  context: Pick<RunnerContext, 'checkAddress'>,
  crawl: CrawlRow,
  isOutlink: boolean,
): (url: string) => AddressVerdict {
  const filter = createAddressFilter(parseObject(crawl.config), isOutlink);
  return (url) => {
    const verdict = context.checkAddress(url);
    return verdict.ok ? filter(url) : verdict;
  };
}
