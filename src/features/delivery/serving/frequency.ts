import { boundedCache } from '../../../base/bounded-cache.ts';
import type { Clock } from '../../../base/clock.ts';
import { addDays, localDateAt } from '../../../base/zones.ts';
import type { SettledAccount } from '../../../contract/services/delivery.ts';
import type { PersonImpressions } from '../../../contract/store/delivery-ledger.ts';
import type { Store } from '../../../storage/unit-of-work.ts';

/** Stored impressions of line items to people. */
export interface Frequencies {
  /** Returns the impressions of a line item to a person in the last local days, including today; undefined if they must be loaded first. */
  impressions(account: SettledAccount, person: string, line: string, days: number): number | undefined;
  load(account: SettledAccount, person: string): Promise<void>;
  /** Drops a person from the cache. */
  drop(account: string, person: string): void;
}

/** Time to live of cached impressions, which other nodes may add to. @source decision 981 */
const CACHED_MS = 1000;
const PEOPLE_MAX = 50_000;
/** Maximum period of a frequency cap. */
const DAYS_MAX = 30;

/** Reads impressions from the ledger, and caches them briefly. */
export function frequencies(store: Pick<Store, 'read'>, clock: Clock): Frequencies {
  const known = boundedCache<string, { readonly rows: readonly PersonImpressions[]; readonly read_ms: number }>(
    PEOPLE_MAX,
  );
  return {
    impressions({ id, timezone }, person, line, days) {
      const found = known.get(`${id} ${person}`);
      const now_ms = clock.now();
      if (!found || now_ms - found.read_ms > CACHED_MS) return undefined;
      const from = addDays(localDateAt(now_ms, timezone), 1 - days);
      let count = 0;
      for (const row of found.rows) if (row.line_item_id === line && row.day >= from) count += row.impressions;
      return count;
    },
    async load({ id, timezone }, person) {
      const read_ms = clock.now();
      const from = addDays(localDateAt(read_ms, timezone), 1 - DAYS_MAX);
      const rows = await store.read((tx) => tx.deliveryLedger.listImpressions(id, [person], from));
      known.set(`${id} ${person}`, { rows, read_ms });
    },
    drop: (account, person) => void known.delete(`${account} ${person}`),
  };
}
