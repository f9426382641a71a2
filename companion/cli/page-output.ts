import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import type { SnapshotRecord } from '../../shared/model/api-records.ts';
import { sizePhrase } from '../../shared/words/amounts.ts';
import { datePhrase } from '../../shared/words/dates.ts';
import type { SnippetSegment } from '../search/search.ts';
import { csvLine, fitWidth, paint, printable, printJson, printRecord, textWidth } from './output.ts';

export interface PageFormat {
  json?: boolean | undefined;
  /** Names of fields, separated by commas. */
  csv?: string | undefined;
}

export type PagePrinter = (page: SnapshotRecord, snippet?: readonly SnippetSegment[]) => void;

/** Prints pages one by one in the form that was asked for. Throws for unknown fields before anything is printed. */
export function createPagePrinter(format: PageFormat): PagePrinter {
  if (format.json && format.csv !== undefined) {
    throw new HoldfastError('bad_request', 'Take either --json or --csv, not both.');
  }
  if (format.json) return (page, snippet) => printJson(snippet === undefined ? page : { ...page, snippet });
  if (format.csv !== undefined) return csvPrinter(parseFields(format.csv));
  return tablePrinter();
}

const fields = [
  'id',
  'url',
  'title',
  'tags',
  'status',
  'timestamp',
  'bookmarked_at',
  'created_at',
  'downloaded_at',
  'modified_at',
  'source',
  'permissions',
  'output_size',
  'num_archiveresults',
  'archive_path',
  'crawl_id',
  'depth',
  'notes',
  'state_sentence',
  'stop_reason',
  'trouble',
] as const satisfies readonly (keyof SnapshotRecord)[];
type Field = (typeof fields)[number];

function parseFields(text: string): Field[] {
  return text.split(',').map((part) => {
    const field = fields.find((name) => name === part.trim());
    if (field) return field;
    throw new HoldfastError(
      'bad_request',
      `--csv knows no field ${JSON.stringify(part.trim())}; take some of ${fields.join(', ')}.`,
    );
  });
}

function csvPrinter(chosen: readonly Field[]): PagePrinter {
  printRecord(csvLine(chosen));
  return (page) => printRecord(csvLine(chosen.map((field) => cellText(page[field]))));
}

function cellText(value: SnapshotRecord[Field]): string {
  return Array.isArray(value) ? value.join(', ') : String(value ?? '');
}

const DATE_WIDTH = 17;
const SIZE_WIDTH = 9;
const STATUS_WIDTH = 7;

/** On a terminal columns cut to its width; into a pipe whole values with tabs between them. */
function tablePrinter(): PagePrinter {
  const width = process.stdout.isTTY ? Math.max(60, process.stdout.columns) : undefined;
  const now = Date.now();
  return (page, snippet) => {
    const cells = [
      datePhrase(Date.parse(page.bookmarked_at), now),
      page.title ?? page.url,
      page.url,
      sizePhrase(page.output_size),
      page.status === 'sealed' ? '' : page.status,
      page.id,
    ];
    printRecord(width === undefined ? cells.map(printable).join('\t') : tableRow(cells, width));
    if (snippet !== undefined) printRecord(snippetLine(snippet));
  };
}

function tableRow(cells: readonly string[], width: number): string {
  const [date = '', title = '', url = '', size = '', status = '', id = ''] = cells;
  const withId = width >= 150;
  const rest = width - DATE_WIDTH - SIZE_WIDTH - STATUS_WIDTH - 8 - (withId ? id.length + 2 : 0);
  const titleWidth = Math.max(16, Math.floor(rest * 0.55));
  const columns = [
    paint('dim', fitWidth(date, DATE_WIDTH)),
    paint('bold', fitWidth(title, titleWidth)),
    fitWidth(url.replace(/^https?:\/\/(www\.)?/, ''), Math.max(12, rest - titleWidth)),
    ' '.repeat(Math.max(0, SIZE_WIDTH - textWidth(size))) + size,
    fitWidth(status, STATUS_WIDTH),
  ];
  return (withId ? [...columns, paint('dim', id)] : columns).join('  ').trimEnd();
}

function snippetLine(snippet: readonly SnippetSegment[]): string {
  const text = snippet.map((segment) =>
    segment.hit ? paint('bold', printable(segment.text)) : printable(segment.text),
  );
  return `    ${text.join('')}`;
}
