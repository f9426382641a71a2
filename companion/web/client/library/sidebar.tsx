import type { ComponentChildren } from 'preact';
import { numberPhrase } from '../../../../shared/words/amounts.ts';
import { listCrawls, listTags } from '../api/collections.ts';
import { useLoad } from '../api/use-load.ts';
import { useRemembered } from '../shell/remembered.ts';
import { TimePhrase } from '../shell/time-phrase.tsx';
import { crawlName, isWorthListing } from './crawl-name.ts';
import { parseSearch } from './search-query.ts';
import { tagSearchAddress } from './snapshot-row.tsx';

/** Crawls the sidebar names. */
const crawlsShown = 20;

/** Ways to look at the library again: searches the reader saved, tags, crawls. */
export function Sidebar({ search, crawl }: { search: string; crawl: string | null }) {
  const [saved, setSaved] = useRemembered<string[]>('saved-searches', []);
  const { value: tags } = useLoad('tags', listTags);
  const current = search.trim();
  const shownTags = new Set(
    parseSearch(search).flatMap((part) => (part.kind === 'tag' && !part.excluded ? [part.text] : [])),
  );
  return (
    <aside class="sidebar" aria-label="Browse">
      <Section name="Saved searches">
        <ul>
          {saved.map((text) => (
            <li key={text} class="side-line">
              <a
                href={`/?search=${encodeURIComponent(text)}`}
                aria-current={text === current ? 'true' : undefined}
                dir="auto"
              >
                {text}
              </a>
              <button
                type="button"
                class="icon-button"
                aria-label={`Forget the search ${text}`}
                onClick={() => setSaved(saved.filter((other) => other !== text))}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
        {current !== '' && !saved.includes(current) ? (
          <button type="button" class="button quiet" onClick={() => setSaved([...saved, current])}>
            Save this search
          </button>
        ) : saved.length === 0 ? (
          <p class="side-hint">Search for something, then save it here.</p>
        ) : null}
      </Section>
      <Section name="Tags">
        <ul>
          {tags?.items.map((tag) => (
            <li key={tag.id} class="side-line">
              <a
                href={tagSearchAddress(tag.name)}
                aria-current={shownTags.has(tag.name) ? 'true' : undefined}
                dir="auto"
              >
                {tag.name}
              </a>
              <span class="side-count">{numberPhrase(tag.num_snapshots)}</span>
            </li>
          ))}
        </ul>
        {tags?.items.length === 0 ? <p class="side-hint">Tags you give to pages gather here.</p> : null}
      </Section>
      <Section name={crawlsName}>
        <CrawlList shown={crawl} />
      </Section>
    </aside>
  );
}

/** Collapsible; this browser remembers which are open, apart for narrow windows, where the list must come first. */
function Section({ name, children }: { name: string; children: ComponentChildren }) {
  const wide = matchMedia('(min-width: 56rem)').matches;
  const [open, setOpen] = useRemembered(`section.${name}${wide ? '' : '.narrow'}`, wide && name !== crawlsName);
  return (
    <details open={open} onToggle={(event) => event.currentTarget.open !== open && setOpen(event.currentTarget.open)}>
      <summary>{name}</summary>
      {open ? children : null}
    </details>
  );
}

const crawlsName = 'Crawls';

/** Requests for more than one page; asked for only when opened, because each is read from a file. */
function CrawlList({ shown }: { shown: string | null }) {
  const { value } = useLoad('crawls', listCrawls, { live: false });
  const crawls = value?.filter(isWorthListing).slice(0, crawlsShown) ?? [];
  if (value && crawls.length === 0) return <p class="side-hint">Imports and crawls of several pages gather here.</p>;
  return (
    <ul>
      {crawls.map((crawl) => (
        <li key={crawl.id} class="side-line side-stack">
          <a href={`/?crawl=${crawl.id}`} aria-current={crawl.id === shown ? 'true' : undefined} dir="auto">
            {crawlName(crawl)}
          </a>
          <span class="side-count">
            <TimePhrase iso={crawl.created_at} />
          </span>
        </li>
      ))}
    </ul>
  );
}
