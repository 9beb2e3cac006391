import { CACHED_KINDS, EVERYTHING, kindOf } from '../../contract/store/cache-changes.ts';
import { takeNumbers } from '../core/sequences.ts';
import type { Session } from '../core/session.ts';
import { Table } from '../core/table.ts';

/** On SQLite, the sequence that counts units of work that invalidate all caches. @source decision 106 */
export const EXTERNAL_CHANGES = 'outside_changes';

/** The prefix of the tags of cached rows. */
const ROW = 'row:';

/** A unit with more changes is announced as a change of everything. */
const TAGS_MAX = 1000;

/** Retention of changes by the clock of the database, in milliseconds; no process looks back further. @source decision 740 */
const KEPT_MS = 600_000;

const SHARED: ReadonlySet<string> = new Set(CACHED_KINDS);

/** The changes of a unit of work. */
export interface UnitChanges {
  /** The invalidated tags. */
  readonly tags: ReadonlySet<string>;
  /** The keys of the changed rows that may be cached. */
  readonly rows: ReadonlySet<string>;
}

/** A transaction id is stored as an integer; both types have 64 bits. */
const ANNOUNCE = `insert into cache_changes (xid, tag, origin, oldest_xid, changed_at_ms)
  select pg_current_xact_id()::text::bigint, tag, $2, pg_snapshot_xmin(pg_current_snapshot())::text::bigint,
    floor(extract(epoch from clock_timestamp()) * 1000)::bigint from unnest($1::text[]) as tag`;

/**
 * Announces the changes of cacheable data to other processes, at the end of a unit of work. On SQLite, the only other
 * processes are commands, whose changes the server polls for.
 * @source decision 738
 */
export function announceChanges(
  session: Session,
  { tags, rows }: UnitChanges,
  origin: string,
): Promise<unknown> | undefined {
  if (tags.size === 0 && rows.size === 0) return undefined;
  if (session.dialect === 'sqlite') {
    return tags.has(EVERYTHING) ? takeNumbers(session, EXTERNAL_CHANGES, 1, 1) : undefined;
  }
  const shared = tags.has(EVERYTHING) ? [EVERYTHING] : [...tags].filter((tag) => SHARED.has(kindOf(tag)));
  if (shared[0] !== EVERYTHING) for (const row of rows) shared.push(ROW + row);
  if (shared.length === 0) return undefined;
  return session.runRaw(ANNOUNCE, [shared.length > TAGS_MAX ? [EVERYTHING] : shared, origin]);
}

/**
 * Separates announced tags from row keys. A tag of an unknown kind, from a newer version, invalidates everything.
 * @source decision 833
 */
export function parseAnnounced(announced: ReadonlySet<string>): UnitChanges {
  const all = [...announced];
  if (all.some((tag) => !tag.startsWith(ROW) && !SHARED.has(kindOf(tag)))) {
    return { tags: new Set([EVERYTHING]), rows: new Set() };
  }
  const rows = all.filter((tag) => tag.startsWith(ROW)).map((tag) => tag.slice(ROW.length));
  return { tags: new Set(all.filter((tag) => !tag.startsWith(ROW))), rows: new Set(rows) };
}

/**
 * An old row proves that all transactions before its `oldest_xid` had ended when it was inserted. The age of a change
 * itself proves nothing, because its commit may be late.
 * @source decision 740
 */
const REMOVE = `delete from cache_changes where (xid, tag) in (
  select xid, tag from cache_changes where xid < (
    select max(oldest_xid) from cache_changes
    where changed_at_ms < floor(extract(epoch from clock_timestamp()) * 1000)::bigint - ${KEPT_MS}
  ) order by xid, tag limit $1)`;

/** The changes that units of work have announced to other processes. */
export class CacheChanges extends Table {
  /** Removes at most `max` changes that every process has seen; returns their number. */
  async removeOld(max: number): Promise<number> {
    return this.session.dialect === 'sqlite' ? 0 : this.session.runRaw(REMOVE, [max]);
  }
}
