import { boundedCache } from '../../base/bounded-cache.ts';
import {
  type AnyResource,
  type Fields,
  hidingParent,
  type Resource,
  type Row,
  type RowOf,
} from '../../contract/declare/resource.ts';
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

  const find = (resource: AnyResource, { account, id }: RowKey): Row | undefined => {
    const row = rows.get(rowName(resource, id));
    return row?.account_id === account ? row : undefined;
  };
  const keep = (resource: AnyResource, row: Row, position: number): void => {
    if (position !== changes) return;
    rows.set(rowName(resource, row.id), row);
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
      /** An earlier holder of the lock may have changed anything. */
      const locks = ({ lock }: { readonly lock?: boolean }): boolean => {
        if (lock) read.clear();
        return lock === true;
      };
      const change = (resource: AnyResource, ids: readonly string[]): void => {
        if (!resource.storage?.isCached) return;
        for (const id of ids) {
          changed.add(rowName(resource, id));
          read.delete(rowName(resource, id));
        }
      };
      return {
        ...records,
        async get<F extends Fields>(resource: Resource<F>, key: RowKey, options: { deleted: Deleted; lock?: boolean }) {
          if (locks(options) || !resource.storage?.isCached || resource.parentField) {
            return records.get(resource, key, options);
          }
          const name = rowName(resource as unknown as AnyResource, key.id);
          const known = read.get(name);
          const row =
            known?.account_id === key.account
              ? known
              : ((await records.get(resource, key, { deleted: 'shown' })) as unknown as Row | undefined);
          if (!row) return undefined;
          read.set(name, row);
          return isVisible(row, options.deleted) ? (row as unknown as RowOf<F>) : undefined;
        },
        async getMany<F extends Fields>(
          resource: Resource<F>,
          account: string,
          ids: readonly string[],
          options: { deleted: Deleted; lock?: boolean; column?: string },
        ) {
          if (locks(options) || !resource.storage?.isCached || resource.parentField || options.column)
            return records.getMany(resource, account, ids, options);
          const kind = resource as unknown as AnyResource;
          const known = ids.map((id) => read.get(rowName(kind, id))).filter((row) => row?.account_id === account);
          if (known.length < ids.length) return records.getMany(resource, account, ids, options);
          return known.filter((row) => isVisible(row!, options.deleted)) as unknown as RowOf<F>[];
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
          locks({ lock: true });
          await records.lockAccount(account);
        },
      };
    },
    cachedReads(records, position) {
      const getRow = async (resource: AnyResource, key: RowKey, deleted: Deleted): Promise<Row | undefined> => {
        let row = find(resource, key);
        if (!row) {
          row = await records.get(resource, key, { deleted: resource.parentField ? deleted : 'shown' });
          if (!row) return undefined;
          keep(resource, row, position);
          // It was read with its parents.
          if (resource.parentField) return row;
        }
        if (deleted === 'shown') return row;
        if (row.deleted !== 0) return undefined;
        const parent = hidingParent(resource);
        if (!parent) return row;
        const above = { account: key.account, id: row[resource.parentField!] as string };
        return (await getRow(parent, above, 'hidden')) && row;
      };
      return {
        page: records.page,
        count: records.count,
        tally: records.tally,
        async get<F extends Fields>(resource: Resource<F>, key: RowKey, options: { deleted: Deleted; lock?: boolean }) {
          if (!resource.storage?.isCached || options.lock) return records.get(resource, key, options);
          return (await getRow(resource as unknown as AnyResource, key, options.deleted)) as RowOf<F> | undefined;
        },
        async getMany<F extends Fields>(
          resource: Resource<F>,
          account: string,
          ids: readonly string[],
          options: { deleted: Deleted; lock?: boolean; column?: string },
        ) {
          if (!resource.storage?.isCached || resource.parentField || options.lock || options.column)
            return records.getMany(resource, account, ids, options);
          const kind = resource as unknown as AnyResource;
          const known = ids.map((id) => find(kind, { account, id }));
          const missing = ids.filter((_, index) => known[index] === undefined);
          const read =
            missing.length > 0 ? await records.getMany(resource, account, missing, { deleted: 'shown' }) : [];
          for (const row of read) keep(kind, row as unknown as Row, position);
          const all = [...known, ...(read as unknown as Row[])].filter((row) => row !== undefined);
          return all.filter((row) => isVisible(row, options.deleted)) as unknown as RowOf<F>[];
        },
      };
    },
  };
}

/** What a row is cached under, and announced by when it changes. */
export function rowName(resource: { readonly name: string }, id: string): string {
  return `${resource.name}:${id}`;
}

function isVisible(row: Row, deleted: Deleted): boolean {
  return deleted === 'shown' || row.deleted === 0;
}
