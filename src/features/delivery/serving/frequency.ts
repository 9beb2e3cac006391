import { boundedCache } from '../../../base/bounded-cache.ts';
import type { Clock } from '../../../base/clock.ts';
import { dateAround, plusDays } from '../../../base/zones.ts';
import type { SettledAccount } from '../../../contract/services/delivery.ts';
import type { DeliveryView } from '../../../contract/store/delivery-ledger.ts';
import type { Store } from '../../../storage/unit-of-work.ts';

/** How often people have seen line items, by the ledger. */
export interface Frequencies {
  /** Impressions of a line item to a person in some local days, today included; undefined when they must be loaded first. */
  seen(account: SettledAccount, person: string, line: string, days: number): number | undefined;
  load(account: SettledAccount, person: string): Promise<void>;
  /** Drops a person from the cache, because more was stored. */
  forget(account: string, person: string): void;
}

/** Views stored by other nodes are noticed after this long. @source decision 981 */
const KEPT_MS = 1000;
const PEOPLE_MAX = 50_000;
/** The longest period of a frequency cap. */
const DAYS_MAX = 30;

/** Reads the ledger, and caches the result for a moment. */
export function frequencies(store: Pick<Store, 'read'>, clock: Clock): Frequencies {
  const known = boundedCache<string, { readonly views: readonly DeliveryView[]; readonly read_ms: number }>(PEOPLE_MAX);
  return {
    seen({ id, timezone }, person, line, days) {
      const found = known.get(`${id} ${person}`);
      const now_ms = clock.now();
      if (!found || now_ms - found.read_ms > KEPT_MS) return undefined;
      const from = plusDays(dateAround(now_ms, timezone), 1 - days);
      let count = 0;
      for (const view of found.views) if (view.line_item_id === line && view.day >= from) count += view.impressions;
      return count;
    },
    async load({ id, timezone }, person) {
      const read_ms = clock.now();
      const from = plusDays(dateAround(read_ms, timezone), 1 - DAYS_MAX);
      const views = await store.read((tx) => tx.deliveryLedger.listViews(id, [person], from));
      known.set(`${id} ${person}`, { views, read_ms });
    },
    forget: (account, person) => void known.delete(`${account} ${person}`),
  };
}
