import type { AnyResource, Row } from '../contract/declare/resource.ts';
import type { ColumnValues, Deleted, RecordsWriting, RowKey } from '../contract/store/records.ts';
import { UNIQUE_KEY } from '../rows/draft.ts';
import type { AccountHistoryRow } from '../storage/tables/account-history.ts';
import type { WriteTransaction } from '../storage/unit-of-work.ts';

/** Rows to prefetch for the items of a batch. */
export interface Preload {
  /** Ids of the rows to change; they are locked. */
  readonly changed: readonly string[];
  /** The targets of references. */
  readonly referenced: readonly PreloadedReference[];
  /** Unique keys of the rows to create. */
  readonly uniqueKeys: readonly string[];
}

/** Targets of a reference, with the read options of its field. */
interface PreloadedReference {
  readonly target: AnyResource;
  readonly ids: readonly string[];
  readonly deleted: Deleted;
  readonly lock: boolean;
}

/** A transaction that prefetches reads and buffers writes, so that 500 rows take as many statements as a few. */
export interface BatchBuffer {
  readonly tx: WriteTransaction;
  /** Executes the buffered writes. */
  flush(): Promise<void>;
}

/**
 * Prefetches the rows of a batch and buffers its writes. Each item sees the changes of earlier ones: prefetched rows
 * are updated in memory, and any other read flushes the writes first.
 */
export async function batchBuffer(
  tx: WriteTransaction,
  resource: AnyResource,
  account: string,
  expected: Preload,
): Promise<BatchBuffer> {
  const rows = new Map<string, Row | undefined>();
  const live = new Map<string, Row>();
  const wait = pendingWrites(tx, account);

  const keep = async (kind: AnyResource, ids: readonly string[], options: { deleted: Deleted; lock?: boolean }) => {
    for (const id of ids) rows.set(nameOf(kind, id, options.deleted), undefined);
    const found = await readMany(tx, kind, account, ids, options);
    for (const row of found) rows.set(nameOf(kind, row.id, options.deleted), row);
  };
  for (const { target, ids, ...options } of expected.referenced) await keep(target, ids, options);
  await keep(resource, expected.changed, { deleted: 'hidden', lock: true });
  const same = await readMany(tx, resource, account, expected.uniqueKeys, { deleted: 'hidden', column: UNIQUE_KEY });
  for (const row of same) live.set(String(row[UNIQUE_KEY]), row);

  const records: RecordsWriting = {
    async get(kind, key: RowKey, options: { deleted: Deleted; lock?: boolean }) {
      const name = nameOf(kind, key.id, options.deleted);
      // Granted rows of other accounts are not prefetched.
      const isKnown = rows.has(name) && key.account === account && !(key.includesGranted && !rows.get(name));
      // biome-ignore lint/suspicious/noExplicitAny: a row of whichever resource was asked for
      if (isKnown) return rows.get(name) as any;
      await wait.flush();
      return tx.records.get(kind, key, options);
    },
    async getMany(kind, of, values, options) {
      if (options.column === UNIQUE_KEY && kind === resource) {
        // biome-ignore lint/suspicious/noExplicitAny: rows of the resource of the batch
        return values.map((value) => live.get(value)).filter((row) => row !== undefined) as any;
      }
      await wait.flush();
      return tx.records.getMany(kind, of, values, options);
    },
    async page(kind, query) {
      await wait.flush();
      return tx.records.page(kind, query);
    },
    async count(kind, query) {
      await wait.flush();
      return tx.records.count(kind, query);
    },
    async tally(kind, query, by) {
      await wait.flush();
      return tx.records.tally(kind, query, by);
    },
    async insert(kind, row) {
      if (kind === resource && row[UNIQUE_KEY]) live.set(String(row[UNIQUE_KEY]), row);
      wait.insert(kind, row);
    },
    async insertAll(kind, all) {
      for (const row of all) await records.insert(kind, row);
    },
    async update(kind, key, changes) {
      if (key.account !== account) {
        await wait.flush();
        return tx.records.update(kind, key, changes);
      }
      wait.update(kind, key.id, changes);
      const name = nameOf(kind, key.id, 'hidden');
      const before = rows.get(name);
      if (!before) return;
      const after = { ...before, ...changes };
      rows.set(name, after.deleted ? undefined : after);
      if (kind === resource && before[UNIQUE_KEY] && !after[UNIQUE_KEY]) live.delete(String(before[UNIQUE_KEY]));
    },
    async updateAll(kind, of, ids, changes) {
      for (const id of ids) await records.update(kind, { account: of, id }, changes);
    },
    async remove(kind, key) {
      await wait.flush();
      await tx.records.remove(kind, key);
      rows.set(nameOf(kind, key.id, 'hidden'), undefined);
    },
    lockAccount: (of) => tx.records.lockAccount(of),
  };
  const { accountHistory: stored } = tx;
  const accountHistory: WriteTransaction['accountHistory'] = {
    append: async (row) => wait.append(row),
    appendAll: (rows) => stored.appendAll(rows),
    page: (query) => stored.page(query),
  };
  return { tx: { ...tx, records, accountHistory }, flush: wait.flush };
}

function nameOf(resource: AnyResource, id: string, deleted: Deleted): string {
  return `${resource.name}:${id}:${deleted}`;
}

function readMany(
  tx: WriteTransaction,
  resource: AnyResource,
  account: string,
  values: readonly string[],
  options: { deleted: Deleted; lock?: boolean; column?: string },
): Promise<Row[]> {
  return tx.records.getMany(resource, account, values, options);
}

interface PendingWrites {
  insert(kind: AnyResource, row: Row): void;
  update(kind: AnyResource, id: string, changes: ColumnValues): void;
  append(row: AccountHistoryRow): void;
  flush(): Promise<void>;
}

/** Buffers writes in order; adjacent writes of the same form become one statement. */
function pendingWrites(tx: WriteTransaction, account: string): PendingWrites {
  let writes: {
    readonly like: string;
    readonly kind: AnyResource;
    rows: Row[];
    ids: string[];
    changes: ColumnValues;
  }[] = [];
  let log: AccountHistoryRow[] = [];
  const among = (like: string, kind: AnyResource, changes: ColumnValues) => {
    const last = writes.at(-1);
    if (last?.like === like && last.kind === kind) return last;
    const next = { like, kind, rows: [], ids: [], changes };
    writes.push(next);
    return next;
  };
  return {
    insert: (kind, row) => void among(`insert ${Object.keys(row)}`, kind, {}).rows.push(row),
    update: (kind, id, changes) => void among(`update ${JSON.stringify(changes)}`, kind, changes).ids.push(id),
    append: (row) => void log.push(row),
    async flush() {
      const [due, noted] = [writes, log];
      writes = [];
      log = [];
      for (const { kind, rows, ids, changes } of due) {
        if (rows.length > 0) await tx.records.insertAll(kind, rows);
        if (ids.length > 0) await tx.records.updateAll(kind, account, ids, changes);
      }
      if (noted.length > 0) await tx.accountHistory.appendAll(noted);
    },
  };
}
