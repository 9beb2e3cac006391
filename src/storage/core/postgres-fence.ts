import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';
import { type Changes, EVERYTHING } from '../../contract/store/cache-changes.ts';
import type { Connections } from './postgres-connections.ts';
import type { Line } from './postgres-line.ts';
import type { KnownStatements } from './postgres-statements.ts';

/** Dependencies of the fence. */
export interface PostgresFenceParts {
  /** A pool of one connection, for invalidation checks only. */
  readonly connections: Pick<Connections, 'acquire' | 'close'>;
  readonly known: KnownStatements;
  /** @throws StoreUnavailable while the server lock is lost */
  readonly assertHeld: () => void;
  /** Maps the error of a failed check for callers. */
  readonly mapFailure: (error: unknown, look: { readonly isBroken: boolean }) => unknown;
}

/** Reads the changes announced by other processes. */
export interface PostgresFence {
  /**
   * Applies what transactions of other processes announced that have committed since the last look; `everything` if
   * that is not certain. Looks must not overlap.
   * @throws StoreUnavailable
   */
  look(origin: string, apply: (changes: Changes) => void): Promise<void>;
  close(): Promise<void>;
}

/** After a longer gap between checks, by the clock of the database, the changes are unknown. */
const GAP_MAX_MS = 60_000;

/**
 * One statement, hence one snapshot: the rows visible to it but not to the last check were committed in between. A
 * transaction is visible to new snapshots before its commit is acknowledged, however long it was open.
 * @source decision 738
 */
const LOOK = `select pg_current_snapshot()::text as snapshot,
  floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms,
  pg_is_in_recovery() as "isStandby", pg_postmaster_start_time()::text as server,
  array(select tag from cache_changes
    where xid >= pg_snapshot_xmin($1::pg_snapshot)::text::bigint and origin <> $2
      and not pg_visible_in_snapshot(xid::text::xid8, $1::pg_snapshot)) as tags`;

interface Look {
  readonly snapshot: string;
  readonly now_ms: number;
  readonly isStandby: boolean;
  /** Identifies the running database server. */
  readonly server: string;
  readonly tags: readonly string[];
}

/**
 * The fence on a dedicated connection. After an outage or on another server, anything may have changed.
 * @source decision 739
 */
export function postgresFence({ connections, known, assertHeld, mapFailure }: PostgresFenceParts): PostgresFence {
  let line: Line | undefined;
  let last: Look | undefined;
  let underWay: Promise<void> = Promise.resolve();

  const drop = (cause: Error): void => {
    line?.release(cause);
    line = undefined;
    last = undefined;
  };

  const lookOnce = async (origin: string, apply: (changes: Changes) => void): Promise<void> => {
    assertHeld();
    if (line?.isBroken) drop(new Error('the connection broke'));
    try {
      line ??= await connections.acquire();
      const values = [last?.snapshot ?? null, origin];
      const found = await line.ask({ known: known.get(LOOK), text: LOOK, values, wantsRows: true, begin: undefined });
      const [now] = found as [Look];
      if (now.isStandby) throw new StoreUnavailable(new Error('the database server is a standby'));
      if (!last || !isContinued(last, now)) apply(EVERYTHING);
      else if (now.tags.length > 0) apply(new Set(now.tags));
      last = now;
    } catch (error) {
      const failure = mapFailure(error, { isBroken: line?.isBroken ?? false });
      drop(error as Error);
      throw failure instanceof StoreUnavailable ? failure : new StoreUnavailable(failure as Error);
    }
  };

  return {
    look(origin, apply) {
      const looking = lookOnce(origin, apply);
      underWay = looking.catch(() => undefined);
      return looking;
    },
    async close() {
      await underWay;
      line?.release();
      line = undefined;
      await connections.close();
    },
  };
}

/** A clock that jumps is a gap too: rows may have been removed by age. */
function isContinued(last: Look, now: Look): boolean {
  const gap_ms = now.now_ms - last.now_ms;
  return now.server === last.server && gap_ms >= 0 && gap_ms <= GAP_MAX_MS;
}
