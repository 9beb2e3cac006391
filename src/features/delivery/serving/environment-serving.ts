import { boundedCache } from '../../../base/bounded-cache.ts';
import { fraction, pooledRandom, type Random } from '../../../base/random.ts';
import type { Environment } from '../../../contract/declare/account-state.ts';
import type { Services } from '../../../contract/declare/operation.ts';
import type { SettledAccount } from '../../../contract/services/delivery.ts';
import type { DecisionRequest, OutageTolerance } from '../../../contract/services/serving.ts';
import { type Changes, EVERYTHING } from '../../../contract/store/cache-changes.ts';
import type { NumberedPerson } from '../../../contract/store/directory.ts';
import { type PersonNames, personNames } from '../person-names.ts';
import { AdIndex } from './ad-index.ts';
import type { Ad } from './ads.ts';
import { AccountCounters, type CounterDeps } from './counters.ts';
import { type RenderedCreative, renderCreative } from './creative-json.ts';
import { type Frequencies, frequencies } from './frequency.ts';
import { Ranking } from './ranking.ts';
import type { Stored } from './store-beacons.ts';
import { openTokens, type Tokens } from './tokens.ts';
import { type Viewer, viewerOf } from './viewer.ts';

/** Dependencies of serving. */
export interface ServingDeps {
  readonly services: Pick<
    Services,
    'store' | 'clock' | 'secrets' | 'box' | 'delivery' | 'audiences' | 'keywords' | 'media' | 'pageUrl'
  >;
  /** The node id of this process. */
  readonly node: string;
  readonly onError: (error: unknown) => void;
  /** Called for each beacon that is dropped because the queue is full. */
  readonly onDropped: () => void;
  /** Maximum number of beacons that wait to be stored in an environment; 50,000 by default. */
  readonly waitingMax?: number;
  /** Maximum number of times that a decision waits 50 ms for the database; 20 by default. */
  readonly waitsMax?: number | undefined;
}

/** Time to live of rendered creatives. @source decision 978 */
const RENDERED_MS = 60_000;
const RENDERED_MAX = 50_000;
const PERSON_MS = 60_000;
const PEOPLE_MAX = 100_000;
/** Maximum number of beacons that wait to be stored, about 50 MB; more are dropped. @source decision 983 */
const WAITING_MAX = 50_000;

/** A creative in memory. */
interface CachedCreative {
  at_ms: number;
  /** The read under way, if there is one. */
  reading: Promise<RenderedCreative | undefined> | undefined;
  /** The result of the last read. */
  last: RenderedCreative | undefined;
}

/** Serving in one environment: its ads, the counters of its accounts, and caches for decisions. */
export class EnvironmentServing {
  readonly index: AdIndex;
  readonly ranking: Ranking;
  readonly frequencies: Frequencies;
  readonly outages: OutageTolerance;
  readonly tokens: Tokens;
  readonly random: Random;
  readonly names: PersonNames;
  readonly #deps: ServingDeps;
  readonly #environment: Environment;
  readonly #counterDeps: CounterDeps;
  readonly #accounts = new Map<string, AccountCounters>();
  readonly #people = boundedCache<string, { readonly person: NumberedPerson | undefined; readonly at_ms: number }>(
    PEOPLE_MAX,
  );
  readonly #creatives = boundedCache<string, CachedCreative>(RENDERED_MAX);
  /** Beacons that wait to be stored. */
  #waiting = 0;

  constructor(deps: ServingDeps, environment: Environment, outages: OutageTolerance) {
    const { services, node, onDropped, waitingMax = WAITING_MAX } = deps;
    const { store, clock, box } = services;
    this.#deps = deps;
    this.#environment = environment;
    this.outages = outages;
    this.index = new AdIndex(services, environment);
    this.random = pooledRandom(services.secrets);
    this.frequencies = frequencies(store, clock);
    this.tokens = openTokens(box, environment, this.random);
    this.names = personNames(box, environment);
    this.ranking = new Ranking(
      clock,
      () => this.chance(),
      ({ account }) => this.countersOf(account),
    );
    this.#counterDeps = {
      store,
      clock,
      node,
      onStored: (stored) => this.#dropFrequencies(stored),
      takeSlot: () => {
        const isFree = this.#waiting < waitingMax;
        if (isFree) this.#waiting += 1;
        else onDropped();
        return isFree;
      },
      freeSlots: (beacons) => {
        this.#waiting -= beacons;
      },
    };
    store.onInvalidate(['serving'], (tags) => this.#onChanges(tags));
  }

  #onChanges(tags: Changes): void {
    if (tags === EVERYTHING) for (const counters of this.#accounts.values()) counters.invalidate();
    else {
      for (const tag of tags) {
        const [account = '', name, askingNode] = tag.slice('serving:'.length).split('/');
        if (askingNode === undefined) this.#accounts.get(account)?.invalidate(name);
        else if (askingNode !== this.#deps.node) this.#accounts.get(account)?.returnResting();
      }
    }
  }

  #dropFrequencies({ counted }: Stored): void {
    for (const { beacon, kind } of counted) {
      if (kind === 'impression' && beacon.person !== '') this.frequencies.drop(beacon.account, beacon.person);
    }
  }

  now(): number {
    return this.#deps.services.clock.now();
  }

  /** Returns a random number from 0 to below 1. */
  chance(): number {
    return fraction(this.random);
  }

  url(path: string): string {
    return this.#deps.services.pageUrl(this.#environment, path);
  }

  countersOf(account: SettledAccount): AccountCounters {
    let counters = this.#accounts.get(account.id);
    if (!counters) {
      counters = new AccountCounters(account, this.#counterDeps);
      this.#accounts.set(account.id, counters);
    }
    return counters;
  }

  /** Returns the counters of an account, if it has any. */
  findCounters(account: string): AccountCounters | undefined {
    return this.#accounts.get(account);
  }

  allCounters(): Iterable<AccountCounters> {
    return this.#accounts.values();
  }

  /** Releases expired reservations, and returns the counters with beacons to store or leases to renew. */
  dueCounters(): AccountCounters[] {
    const now_ms = this.now();
    const all = [...this.#accounts.values()];
    for (const counters of all) counters.expire(now_ms);
    return all.filter((counters) => counters.isDue());
  }

  clear(): void {
    this.#accounts.clear();
    this.#waiting = 0;
  }

  viewerOf({ user, context }: DecisionRequest): Viewer | Promise<Viewer> {
    if (!user || !('id' in user)) return viewerOf(undefined, context);
    const { id } = user;
    const known = this.#people.get(id);
    if (known && this.now() - known.at_ms < PERSON_MS) return viewerOf(known.person, context);
    return this.#deps.services.store
      .read((tx) => tx.directory.findPerson(id))
      .then((person) => {
        this.#people.set(id, { person, at_ms: this.now() });
        return viewerOf(person, context);
      });
  }

  /** Returns the viewer from the cache alone, without reading the database. */
  cachedViewer({ user, context }: DecisionRequest): Viewer {
    return viewerOf(user && 'id' in user ? this.#people.get(user.id)?.person : undefined, context);
  }

  render(ad: Ad, creative: string): RenderedCreative | undefined | Promise<RenderedCreative | undefined> {
    const known = this.#creatives.get(creative);
    if (known && this.now() - known.at_ms < RENDERED_MS) return known.reading ?? known.last;
    const reading = renderCreative(this.#deps.services, ad, ad.creatives.find(({ id }) => id === creative)!);
    const next: CachedCreative = { at_ms: this.now(), reading, last: known?.last };
    this.#creatives.set(creative, next);
    reading.then(
      (rendered) => {
        next.last = rendered;
        next.reading = undefined;
      },
      () => {
        next.at_ms = Number.NEGATIVE_INFINITY;
      },
    );
    return reading;
  }

  /** Returns the last rendered version, if there is one. */
  cachedCreative(creative: string): RenderedCreative | undefined {
    return this.#creatives.get(creative)?.last;
  }
}
