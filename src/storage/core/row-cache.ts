import { boundedCache } from '../../base/bounded-cache.ts';
import {
  type AnyResource,
  type Fields,
  hidingParent,
  type Resource,
  type Row,
  type RowOf,
} from '../../contract/declare/resource.ts';
import type {
  ColumnValues,
  Conditions,
  Deleted,
  PageQuery,
  RecordsReading,
  RecordsWriting,
  RowKey,
  Tally,
} from '../../contract/store/records.ts';

const ROWS_MAX = 50_000;

/** How rows are read. */
interface ReadOptions {
  readonly deleted: Deleted;
  readonly lock?: boolean;
  readonly column?: string;
}

/**
 * Caches rows of the resources declared `isCached`: those that many other rows refer to. A changed row is dropped before
 * the change is acknowledged. Rows that a unit of work read while any of them changed are not cached, because its
 * snapshot may be older than the change.
 */
export class RowCache {
  readonly #rows = boundedCache<string, Row>(ROWS_MAX);
  #changes = 0;

  /** The version of the cache; passed to `cachedReads` when the unit of work begins. */
  version(): number {
    return this.#changes;
  }

  /** Reads through the cache, for a unit of work that began at this version. */
  cachedReads(records: RecordsReading, position: number): RecordsReading {
    return new CachedReads(this, records, position);
  }

  /**
   * Writes that collect in `changed` the keys to invalidate. Their own reads bypass the cache, but read a row once until
   * the unit of work changes or locks anything.
   * @source decision 737
   */
  trackedWrites(records: RecordsWriting, changed: Set<string>): RecordsWriting {
    return new TrackedWrites(records, changed);
  }

  /** Drops what a unit of work changed; called when it is durable and before it is acknowledged. */
  invalidate(changed: ReadonlySet<string> | 'everything'): void {
    if (changed === 'everything') {
      this.#changes += 1;
      this.#rows.clear();
      return;
    }
    if (changed.size === 0) return;
    this.#changes += 1;
    for (const name of changed) this.#rows.delete(name);
  }

  /** Finds a cached row of this account. */
  find(resource: AnyResource, account: string | undefined, id: string): Row | undefined {
    const row = this.#rows.get(rowName(resource, id));
    return row?.account_id === account ? row : undefined;
  }

  /** Caches a row read by a unit of work that began at this version. */
  keep(resource: AnyResource, row: Row, position: number): void {
    if (position === this.#changes) this.#rows.set(rowName(resource, row.id), row);
  }
}

/** Reads that no cache answers. */
class UncachedReads<Records extends RecordsReading> {
  protected readonly records: Records;

  constructor(records: Records) {
    this.records = records;
  }

  page(resource: AnyResource, query: PageQuery): Promise<Row[]> {
    return this.records.page(resource, query);
  }

  count(resource: AnyResource, query: Conditions): Promise<number> {
    return this.records.count(resource, query);
  }

  tally(resource: AnyResource, query: Conditions, by: readonly string[]): Promise<Tally[]> {
    return this.records.tally(resource, query, by);
  }
}

class CachedReads extends UncachedReads<RecordsReading> implements RecordsReading {
  readonly #cache;
  readonly #position;

  constructor(cache: RowCache, records: RecordsReading, position: number) {
    super(records);
    this.#cache = cache;
    this.#position = position;
  }

  async get<F extends Fields>(resource: Resource<F>, key: RowKey, options: ReadOptions): Promise<RowOf<F> | undefined> {
    if (!resource.storage?.isCached || options.lock) return this.records.get(resource, key, options);
    return (await this.#getRow(resource, key, options.deleted)) as RowOf<F> | undefined;
  }

  async getMany<F extends Fields>(
    resource: Resource<F>,
    account: string,
    ids: readonly string[],
    options: ReadOptions,
  ): Promise<RowOf<F>[]> {
    if (!resource.storage?.isCached || resource.parentField || options.lock || options.column)
      return this.records.getMany(resource, account, ids, options);
    const kind = resource;
    const known = ids.map((id) => this.#cache.find(kind, account, id));
    const missing = ids.filter((_, index) => known[index] === undefined);
    const read = missing.length > 0 ? await this.records.getMany(resource, account, missing, { deleted: 'shown' }) : [];
    for (const row of read) this.#cache.keep(kind, row, this.#position);
    const all = [...known, ...read].filter((row) => row !== undefined);
    return all.filter((row) => isVisible(row, options.deleted)) as RowOf<F>[];
  }

  async #getRow(resource: AnyResource, key: RowKey, deleted: Deleted): Promise<Row | undefined> {
    let row = this.#cache.find(resource, key.account, key.id);
    if (!row) {
      row = await this.records.get(resource, key, { deleted: resource.parentField ? deleted : 'shown' });
      if (!row) return undefined;
      this.#cache.keep(resource, row, this.#position);
      // It was read with its parents.
      if (resource.parentField) return row;
    }
    if (deleted === 'shown') return row;
    if (row.deleted !== 0) return undefined;
    const parent = hidingParent(resource);
    if (!parent) return row;
    const above = { account: key.account, id: row[resource.parentField!] as string };
    return (await this.#getRow(parent, above, 'hidden')) && row;
  }
}

class TrackedWrites extends UncachedReads<RecordsWriting> implements RecordsWriting {
  readonly #changed;
  readonly #read = new Map<string, Row>();

  constructor(records: RecordsWriting, changed: Set<string>) {
    super(records);
    this.#changed = changed;
  }

  async get<F extends Fields>(resource: Resource<F>, key: RowKey, options: ReadOptions): Promise<RowOf<F> | undefined> {
    if (!this.#remembers(resource, options)) return this.records.get(resource, key, options);
    const name = rowName(resource, key.id);
    const known = this.#read.get(name);
    const row =
      known?.account_id === key.account
        ? known
        : ((await this.records.get(resource, key, { deleted: 'shown' })) as Row | undefined);
    if (!row) return undefined;
    this.#read.set(name, row);
    return isVisible(row, options.deleted) ? (row as RowOf<F>) : undefined;
  }

  async getMany<F extends Fields>(
    resource: Resource<F>,
    account: string,
    ids: readonly string[],
    options: ReadOptions,
  ): Promise<RowOf<F>[]> {
    if (this.#remembers(resource, options)) {
      const known = ids.map((id) => this.#read.get(rowName(resource, id))).filter((row) => row?.account_id === account);
      if (known.length === ids.length) {
        return known.filter((row) => isVisible(row!, options.deleted)) as RowOf<F>[];
      }
    }
    return this.records.getMany(resource, account, ids, options);
  }

  insert(resource: AnyResource, row: Row): Promise<void> {
    return this.records.insert(resource, row);
  }

  insertAll(resource: AnyResource, rows: readonly Row[]): Promise<void> {
    return this.records.insertAll(resource, rows);
  }

  async update(resource: AnyResource, key: RowKey, values: ColumnValues): Promise<void> {
    this.#change(resource, [key.id]);
    await this.records.update(resource, key, values);
  }

  async updateAll(resource: AnyResource, account: string, ids: readonly string[], values: ColumnValues): Promise<void> {
    this.#change(resource, ids);
    await this.records.updateAll(resource, account, ids, values);
  }

  async remove(resource: AnyResource, key: RowKey): Promise<void> {
    this.#change(resource, [key.id]);
    await this.records.remove(resource, key);
  }

  async lockAccount(account: string): Promise<void> {
    this.#read.clear();
    await this.records.lockAccount(account);
  }

  /** Whether earlier reads may be reused: not after a lock, whose previous holder may have changed anything. */
  #remembers({ storage, parentField }: Pick<AnyResource, 'storage' | 'parentField'>, { lock, column }: ReadOptions) {
    if (lock) this.#read.clear();
    return storage?.isCached && !lock && !parentField && !column;
  }

  #change(resource: AnyResource, ids: readonly string[]): void {
    if (!resource.storage?.isCached) return;
    for (const id of ids) {
      this.#changed.add(rowName(resource, id));
      this.#read.delete(rowName(resource, id));
    }
  }
}

/** The cache key of a row, by which changes are announced. */
export function rowName(resource: { readonly name: string }, id: string): string {
  return `${resource.name}:${id}`;
}

function isVisible(row: Row, deleted: Deleted): boolean {
  return deleted === 'shown' || row.deleted === 0;
}
