/** Stop reasons of crawls and snapshots as the second half of a sentence. */
export const stopSentences: Readonly<Record<string, string>> = {
  cancelled: 'it was cancelled',
  no_viable_urls: 'none of its addresses could be kept',
  crawl_max_urls: 'the crawl had as many addresses as it may have',
  crawl_max_size: 'the crawl had reached its size',
  crawl_timeout: 'the time of the crawl was over',
  snapshot_max_size: 'the page had reached its size',
};
