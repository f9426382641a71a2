/** A statement as it was executed, and the stretch of code without an await it ran in. */
export interface TracedStatement {
  sql: string;
  /** Equal for statements between which nothing else can have run. */
  stretch: number;
}

export interface StatementTrace {
  note: (sql: string) => void;
  /** Statements noted since the last call. */
  take: () => TracedStatement[];
}

/** Numbers the stretches: the first microtask after a statement ends the one it ran in. */
export function traceStatements(): StatementTrace {
  let statements: TracedStatement[] = [];
  let stretch = 0;
  let ending = false;
  return {
    note: (sql) => {
      statements.push({ sql, stretch });
      if (ending) return;
      ending = true;
      queueMicrotask(() => {
        stretch += 1;
        ending = false;
      });
    },
    take: () => {
      const taken = statements;
      statements = [];
      return taken;
    },
  };
}

const writing = /^\s*(insert|update|delete|replace)\b/i;
/** SQLite cuts values after 32 bytes in what it tells of a statement. */
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{8}/g;

export function isWrite({ sql }: TracedStatement): boolean {
  return writing.test(sql);
}

/**
 * What is wrong with the statements of one request, a sentence each: writes outside of a transaction, transactions
 * with an await inside, rows that are written because of what was read before an await, and results looked up twice
 * in one stretch.
 */
export function faultsOf(statements: readonly TracedStatement[]): string[] {
  return [...transactionFaults(statements), ...staleReadFaults(statements), ...doubleLookupFaults(statements)];
}

function transactionFaults(statements: readonly TracedStatement[]): string[] {
  const faults: string[] = [];
  let begun: TracedStatement | undefined;
  for (const statement of statements) {
    if (/^\s*begin/i.test(statement.sql)) {
      if (!/immediate/i.test(statement.sql)) faults.push(`a transaction begins deferred: ${statement.sql}`);
      begun = statement;
    } else if (/^\s*(commit|rollback)/i.test(statement.sql)) {
      if (begun?.stretch !== statement.stretch) faults.push('a transaction has an await inside');
      begun = undefined;
    } else if (isWrite(statement) && begun?.stretch !== statement.stretch) {
      faults.push(`a write outside of a transaction: ${statement.sql}`);
    }
  }
  return faults;
}

/** A row that was read in an earlier stretch may have changed since: who writes it reads it again first. */
function staleReadFaults(statements: readonly TracedStatement[]): string[] {
  return statements.filter(isWrite).flatMap((write, _index, writes) => {
    const at = statements.indexOf(write);
    const reads = statements.slice(0, at).filter((other) => isRead(other) && touchesSameRow(other, write));
    const fresh = reads.some((read) => read.stretch === write.stretch);
    const own = writes.some((other) => other.stretch === write.stretch && insertsRowOf(other, write));
    return reads.length > 0 && !fresh && !own ? [`a write after a read before an await: ${write.sql}`] : [];
  });
}

function doubleLookupFaults(statements: readonly TracedStatement[]): string[] {
  const lookups = statements.filter(({ sql }) => /^\s*select \* from "archive_result" where/i.test(sql));
  const seen = new Map<number, number>();
  for (const { stretch } of lookups) seen.set(stretch, (seen.get(stretch) ?? 0) + 1);
  return [...seen.values()]
    .filter((count) => count > 1)
    .map((count) => `a result was looked up ${count} times at once`);
}

function isRead({ sql }: TracedStatement): boolean {
  return /^\s*select\b/i.test(sql);
}

function touchesSameRow(read: TracedStatement, write: TracedStatement): boolean {
  const table = tableWritten(write);
  if (table === undefined || !new RegExp(`\\b(from|join) "?${table}\\b`, 'i').test(read.sql)) return false;
  const ids = new Set(read.sql.match(uuid));
  return rowsWritten(write).some((id) => ids.has(id));
}

function insertsRowOf(insert: TracedStatement, write: TracedStatement): boolean {
  if (!/^\s*insert/i.test(insert.sql) || insert === write || tableWritten(insert) !== tableWritten(write)) return false;
  const ids = new Set(insert.sql.match(uuid));
  return rowsWritten(write).some((id) => ids.has(id));
}

function tableWritten({ sql }: TracedStatement): string | undefined {
  return /^\s*(?:insert(?: or \w+)? into|update|delete from) "?(\w+)/i.exec(sql)?.[1];
}

/** The ids a write chooses its rows by: those of its condition, or those of the row it adds. */
function rowsWritten({ sql }: TracedStatement): string[] {
  const condition = /\bwhere\b([\s\S]*)$/i.exec(sql)?.[1];
  return (condition ?? sql).match(uuid) ?? [];
}
