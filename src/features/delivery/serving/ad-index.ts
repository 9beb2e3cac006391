import type { Clock } from '../../../base/clock.ts';
import type { Environment } from '../../../contract/declare/account-state.ts';
import type { Services } from '../../../contract/declare/operation.ts';
import { EVERYTHING } from '../../../contract/store/cache-changes.ts';
import { type Ad, type AdsOfAccount, readAds } from './ads.ts';

/** The ads of all accounts of an environment, in memory. */
export interface AdIndex {
  /** Resolves when the index knows everything that was acknowledged before; undefined when it already does. */
  current(): Promise<void> | undefined;
  /** The ads that could be meant for a viewer in a country, those of other countries left out. */
  candidates(country: string | null): readonly (readonly Ad[])[];
  accounts(): Iterable<AdsOfAccount>;
  /** Reads accounts again whose audiences may have changed, the oldest first. */
  refreshOldest(): Promise<void>;
}

/** Members of audiences, and what has become of bids, are read again after this long. */
const REFRESHED_AFTER_MS = 300_000;

/**
 * Keeps the ads of an environment. Accounts are read again when a unit of work has announced that their ads changed, by
 * this process or another one. @source decision 978
 */
export function openAdIndex(
  services: Pick<Services, 'store' | 'audiences' | 'keywords'> & { readonly clock: Clock },
  environment: Environment,
): AdIndex {
  const { store, clock } = services;
  const known = new Map<string, AdsOfAccount & { readonly read_ms: number }>();
  /** Ads by the only countries that they are for; the others under the empty text. */
  let byCountry: Map<string, Ad[]> | undefined;
  let stale: Set<string> | typeof EVERYTHING = EVERYTHING;
  let reading: Promise<void> | undefined;

  store.onInvalidate(['serving', 'account'], (tags) => {
    if (tags === EVERYTHING) stale = EVERYTHING;
    else if (stale !== EVERYTHING) {
      for (const tag of tags) if (/^(serving|account):/.test(tag)) stale.add(tag.slice(tag.indexOf(':') + 1));
    }
  });

  const isStale = (): boolean => stale === EVERYTHING || stale.size > 0;

  /** Reads what is stale until nothing is; what becomes stale during a read is read again. */
  async function read(): Promise<void> {
    while (isStale()) {
      const wanted = stale;
      stale = new Set();
      try {
        const ids = wanted === EVERYTHING ? undefined : [...wanted];
        const found = await store.read((tx) => tx.advertisers.list(environment, ids));
        const live = new Set(found.map(({ id }) => id));
        for (const id of ids ?? [...known.keys()]) if (!live.has(id)) known.delete(id);
        for (const account of found) {
          known.set(account.id, { ...(await readAds(services, account, clock.now())), read_ms: clock.now() });
        }
      } catch (error) {
        stale = EVERYTHING;
        throw error;
      } finally {
        byCountry = undefined;
      }
    }
  }

  return {
    current() {
      if (!isStale()) return reading;
      reading ??= read().finally(() => {
        reading = undefined;
      });
      return reading;
    },
    candidates(country) {
      byCountry ??= groupedByCountry([...known.values()].flatMap(({ ads }) => ads));
      const lists = [byCountry.get(''), country === null ? undefined : byCountry.get(country)];
      return lists.filter((each) => each !== undefined);
    },
    accounts: () => known.values(),
    async refreshOldest() {
      const before_ms = clock.now() - REFRESHED_AFTER_MS;
      if (stale === EVERYTHING) return;
      const [oldest] = [...known.values()].filter(({ read_ms }) => read_ms <= before_ms);
      if (!oldest) return;
      stale.add(oldest.account.id);
      await this.current();
    },
  };
}

function groupedByCountry(ads: readonly Ad[]): Map<string, Ad[]> {
  const found = new Map<string, Ad[]>();
  for (const ad of ads) {
    for (const country of ad.countries ?? ['']) {
      const others = found.get(country) ?? [];
      others.push(ad);
      found.set(country, others);
    }
  }
  return found;
}
