import { secureRandom } from '../../base/random.ts';
import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';
import { type Changes, EVERYTHING, kindOf, type TagKind } from '../../contract/store/cache-changes.ts';
import { SchemaTooNew } from '../../contract/store/errors.ts';
import { noteAdChanges } from '../tables/ad-changes.ts';
import { announceChanges, parseAnnounced, type UnitChanges } from '../tables/cache-changes.ts';
import { CampaignSummaries } from '../tables/campaign-summaries.ts';
import { type AppendedEvent, moveToLog, storeWithoutPositions } from '../tables/event-outbox.ts';
import { type NoteWrite, Records } from '../tables/records.ts';
import { type OutageListener, partsOn, type Store, type WriteTransaction } from '../unit-of-work.ts';
import type { Driver } from './driver.ts';
import { RowCache, rowName } from './row-cache.ts';
import type { Session } from './session.ts';
import { coalesceChecks } from './shared-looks.ts';

/** Options that depend on the server. */
interface StoreOptions {
  /** @throws SchemaTooNew */
  readonly assertServable?: ((session: Session) => Promise<void>) | undefined;
  /** Whether any server serves ads and must be notified of changes. */
  readonly announcesAds?: boolean;
}

/**
 * The storage port on a driver: one implementation for both databases. The fence calls `assertServable`
 * when the schema may have moved beyond what the process can work with.
 */
export function storeOn(driver: Driver, { assertServable, announcesAds = false }: StoreOptions = {}): Store {
  const caches = new Caches();
  /** Identifies the changes of this process in the database. @source decision 741 */
  const origin = secureRandom.bytes(8).toString('hex');
  const { readExternalChanges: lookForChanges, writeElected, writeTogether } = driver;
  const outageListeners: OutageListener[] = [];
  async function writeBy<T>(run: Driver['write'], work: (tx: WriteTransaction) => Promise<T>): Promise<T> {
    let changes: UnitChanges | undefined;
    const unit = run(async (session) => {
      // A restarted unit must not see what its first run has collected.
      const tags = new Set<string>();
      const rows = new Set<string>();
      const appended: AppendedEvent[] = [];
      const invalidate = (tag: string): void => void tags.add(tag);
      const { parts, collected } = tablesOn(session);
      Object.assign(collected, { tags, appended });
      const summaries = new CampaignSummaries(session, (id) => rows.add(rowName({ name: 'campaign' }, id)));
      const noteAds = announcesAds ? noteAdChanges(invalidate) : undefined;
      const note: NoteWrite = (...written) => {
        noteAds?.(...written);
        summaries.note(...written);
      };
      const records = caches.rows.trackedWrites(new Records(session, note), rows);
      const done = await work({ ...parts, records, invalidate });
      await summaries.flush();
      if (appended.length > 0) await storeWithoutPositions(session, appended);
      const announced = announceChanges(session, { tags, rows }, origin);
      if (announced) await announced;
      changes = { tags, rows };
      return done;
    });
    const value = await unit.catch((error: unknown) => {
      // It counts as committed. @source decision 418
      if (error instanceof StoreUnavailable && error.isOutcomeUnknown) caches.clear();
      throw error;
    });
    caches.drop(changes!);
    return value;
  }
  driver.onRepaired?.(() => caches.clear());
  // Units of work with an unknown outcome may have changed anything.
  driver.onOutage({ ended: () => caches.clear() });
  return {
    read(work) {
      const position = caches.rows.version();
      return driver.read((session) => {
        const { parts, records } = tablesOn(session);
        return work({ ...parts, records: caches.rows.cachedReads(records, position) });
      });
    },
    write: (work) => writeBy(driver.write, work),
    writeTogether: (kind, work) => writeBy(writeTogether ? (unit) => writeTogether(kind, unit) : driver.write, work),
    writeUrgent: (work) => writeBy(driver.writeUrgent ?? driver.write, work),
    onInvalidate: (kinds, listen) => caches.listen(kinds, listen),
    fence:
      lookForChanges &&
      fenceOf(driver, caches, {
        look: (apply) => lookForChanges(origin, apply),
        assertServable,
        onSuperseded: (cause) => {
          for (const { superseded } of outageListeners) superseded?.(cause);
        },
      }),
    sequencer: writeElected && { sequence: (max) => writeElected((session) => moveToLog(session, max)) },
    clearCaches: () => caches.clear(),
    onOutage(listener) {
      driver.onOutage(listener);
      outageListeners.push(listener);
    },
    ping: () => driver.ping(),
    close: () => driver.close(),
  };
}

/** The cached rows, and the listeners that drop what else is cached. */
class Caches {
  readonly rows = new RowCache();
  readonly #listeners: { readonly kinds: readonly TagKind[]; readonly listen: (tags: Changes) => void }[] = [];

  listen(kinds: readonly TagKind[], listen: (tags: Changes) => void): void {
    this.#listeners.push({ kinds, listen });
  }

  clear(): void {
    this.rows.invalidate(EVERYTHING);
    for (const { listen } of this.#listeners) listen(EVERYTHING);
  }

  drop({ tags, rows }: UnitChanges): void {
    if (tags.has(EVERYTHING)) {
      this.clear();
      return;
    }
    this.rows.invalidate(rows);
    if (tags.size === 0) return;
    const changed = new Set([...tags].map(kindOf));
    for (const { kinds, listen } of this.#listeners) if (kinds.some((kind) => changed.has(kind))) listen(tags);
  }
}

/**
 * Invalidates what other processes have changed. A value read before a change is never cached after it: every cache
 * notes its version when a read begins, and each invalidation changes the version. A read that begins after it has a
 * later snapshot than the check, and so sees the change. Changes of this process are invalidated when they are
 * acknowledged.
 */
function fenceOf(
  driver: Driver,
  caches: Caches,
  {
    look,
    assertServable,
    onSuperseded,
  }: Pick<StoreOptions, 'assertServable'> & {
    readonly look: (apply: (changes: Changes) => void) => Promise<void>;
    readonly onSuperseded: (cause: Error) => void;
  },
): () => Promise<void> {
  let isSchemaDoubtful = false;
  return coalesceChecks(async () => {
    await look((changes) => {
      const announced = changes === EVERYTHING ? EVERYTHING_CHANGED : parseAnnounced(changes);
      if ([...announced.tags].some((tag) => tag === EVERYTHING || kindOf(tag) === 'schema')) isSchemaDoubtful = true;
      caches.drop(announced);
    });
    // Whether this process may go on. @source decision 835
    if (!isSchemaDoubtful || !assertServable) return;
    try {
      await driver.read(assertServable);
      isSchemaDoubtful = false;
    } catch (error) {
      if (!(error instanceof SchemaTooNew)) throw error;
      onSuperseded(error);
      throw new StoreUnavailable(error);
    }
  });
}

const EVERYTHING_CHANGED: UnitChanges = { tags: new Set([EVERYTHING]), rows: new Set() };

/** The tables of a session, and the changes that its running unit of work collects. */
interface Tables {
  readonly parts: ReturnType<typeof partsOn>;
  readonly records: Records;
  readonly collected: { tags: Set<string>; appended: AppendedEvent[] };
}

const tablesOf = new WeakMap<Session, Tables>();

/** Caches the tables by session, which serves one unit of work at a time. */
function tablesOn(session: Session): Tables {
  let tables = tablesOf.get(session);
  if (!tables) {
    const collected: Tables['collected'] = { tags: new Set(), appended: [] };
    const parts = partsOn(
      session,
      (tag) => void collected.tags.add(tag),
      (event) => void collected.appended.push(event),
    );
    tables = { parts, records: new Records(session), collected };
    tablesOf.set(session, tables);
  }
  return tables;
}
