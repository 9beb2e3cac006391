import { boundedCache } from '../../base/bounded-cache.ts';
import type { AnyResource, Fields, Resource, Row, RowOf } from '../../contract/declare/resource.ts';
import type { Deleted, RecordsReading, RecordsWriting, RowKey } from '../../contract/store/store.ts';

/** An in-memory cache of rows. */
export interface RowCache {
  /** The version of the cache; passed to `cachedReads` when the unit of work begins. */
  version(): number;
  /** Reads through the cache, for a unit of work that began at this version. */
  cachedReads(records: RecordsReading, position: number): RecordsReading;
  /**
   * Writes that collect in `changed` the keys to invalidate. Their own reads bypass the cache, but read a row once until
   * the unit of work changes or locks anything.
   * @source decision 737
   */
  trackedWrites(records: RecordsWriting, changed: Set<string>): RecordsWriting;
  /** Drops what a unit of work changed; called when it is durable and before it is acknowledged. */
  invalidate(changed: ReadonlySet<string> | 'everything'): void;
}

const ROWS_MAX = 50_000;

/**
 * Caches rows of the resources declared `cached`: those that many other rows refer to. A changed row is dropped before
 * the change is acknowledged. Rows that a unit of work read while any of them changed are not cached, because its
 * snapshot may be older than the change.
 */
export function rowCache(): RowCache {
  const rows = boundedCache<string, Row>(ROWS_MAX);
  let changes = 0;

  const find = (resource: AnyResource, { account, id }: RowKey, deleted: Deleted): Row | undefined => {
    const row = rows.get(nameOf(resource, id));
    return row && row.account_id === account && isVisible(row, deleted) ? row : undefined;
  };
  const keep = (resource: AnyResource, row: Row, position: number): void => {
    if (position !== changes) return;
    rows.set(nameOf(resource, row.id), row);
  };

  return {
    version: () => changes,
    invalidate(changed) {
      if (changed === 'everything') {
        changes += 1;
        return rows.clear();
      }
      if (changed.size === 0) return;
      changes += 1;
      for (const name of changed) rows.delete(name);
    },
    trackedWrites(records, changed) {
      const read = new Map<string, Row>();
      const change = (resource: AnyResource, ids: readonly string[]): void => {
        if (!resource.storage?.isCached) return;
        for (const id of ids) {
          changed.add(nameOf(resource, id));
          read.delete(nameOf(resource, id));
        }
      };
      return {
        ...records,
        async get<F extends Fields>(resource: Resource<F>, key: RowKey, options: { deleted: Deleted; lock?: boolean }) {
          if (!resource.storage?.isCached || options.lock) return records.get(resource, key, options);
          const name = nameOf(resource as unknown as AnyResource, key.id);
          const known = read.get(name);
          const row =
            known?.account_id === key.account
              ? known
              : ((await records.get(resource, key, { deleted: 'shown' })) as unknown as Row | undefined);
          if (!row) return undefined;
          read.set(name, row);
          return isVisible(row, options.deleted) ? (row as unknown as RowOf<F>) : undefined;
        },
        async update(resource, key, values) {
          change(resource, [key.id]);
          await records.update(resource, key, values);
        },
        async remove(resource, key) {
          change(resource, [key.id]);
          await records.remove(resource, key);
        },
        async updateAll(resource, account, ids, values) {
          change(resource, ids);
          await records.updateAll(resource, account, ids, values);
        },
        async lockAccount(account) {
          // Whoever held the lock before may have changed anything.
          read.clear();
          await records.lockAccount(account);
        },
      };
    },
    cachedReads: (records, position) => ({
      page: records.page,
      count: records.count,
      tally: records.tally,
      async get<F extends Fields>(resource: Resource<F>, key: RowKey, options: { deleted: Deleted; lock?: boolean }) {
        const kind = resource as unknown as AnyResource;
        if (!resource.storage?.isCached || options.lock) return records.get(resource, key, options);
        const known = find(kind, key, options.deleted);
        if (known) return known as unknown as RowOf<F>;
        const row = await records.get(resource, key, { deleted: 'shown' });
        if (row) keep(kind, row as unknown as Row, position);
        return row && isVisible(row as unknown as Row, options.deleted) ? row : undefined;
      },
      async getMany<F extends Fields>(
        resource: Resource<F>,
        account: string,
        ids: readonly string[],
        options: { deleted: Deleted; lock?: boolean; column?: string },
      ) {
        if (!resource.storage?.isCached || options.lock || options.column)
          return records.getMany(resource, account, ids, options);
        const kind = resource as unknown as AnyResource;
        const known = ids.map((id) => find(kind, { account, id }, 'shown'));
        const missing = ids.filter((_, index) => known[index] === undefined);
        const read = missing.length > 0 ? await records.getMany(resource, account, missing, { deleted: 'shown' }) : [];
        for (const row of read) keep(kind, row as unknown as Row, position);
        const all = [...known, ...(read as unknown as Row[])].filter((row) => row !== undefined);
        return all.filter((row) => isVisible(row, options.deleted)) as unknown as RowOf<F>[];
      },
    }),
  };
}

function nameOf(resource: AnyResource, id: string): string {
  return `${resource.name}:${id}`;
}

function isVisible(row: Row, deleted: Deleted): boolean {
  return deleted === 'shown' || row.deleted === 0;
}
