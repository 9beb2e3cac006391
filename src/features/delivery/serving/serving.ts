import { boundedCache } from '../../../base/bounded-cache.ts';
import { formatInstant } from '../../../base/instants.ts';
import { fraction, pooledRandom } from '../../../base/random.ts';
import { every } from '../../../base/timers.ts';
import type { Environment } from '../../../contract/declare/account-state.ts';
import type { Services } from '../../../contract/declare/operation.ts';
import type { SettledAccount } from '../../../contract/services/delivery.ts';
import type { AdServing, BeaconRequest, BorneOutages } from '../../../contract/services/serving.ts';
import { EVERYTHING } from '../../../contract/store/cache-changes.ts';
import type { NumberedPerson } from '../../../contract/store/directory.ts';
import { sealClickId, withClickId } from '../conversions/click-id.ts';
import { personNames } from '../person-names.ts';
import { type AdIndex, openAdIndex } from './ad-index.ts';
import type { Ad } from './ads.ts';
import type { Beacon } from './beacon.ts';
import { borneOutages } from './borne-outages.ts';
import { type AccountCounters, accountCounters } from './counters.ts';
import { type RenderedCreative, renderCreative } from './creative-json.ts';
import { type Deciding, decide } from './decide.ts';
import type { DecisionRequest, PlacementDecisions } from './decision-request.ts';
import { frequencies } from './frequency.ts';
import { ranking } from './ranking.ts';
import type { Stored } from './store-beacons.ts';
import { type OpenedToken, openTokens, type TokenKind } from './tokens.ts';
import { touchOf } from './touches.ts';
import { type Viewer, viewerOf } from './viewer.ts';

/** What serving needs of the process. */
export interface ServingDeps {
  readonly services: Pick<
    Services,
    'store' | 'clock' | 'secrets' | 'box' | 'delivery' | 'audiences' | 'keywords' | 'media' | 'pageUrl'
  >;
  /** The id of this process among those of the database. */
  readonly node: string;
  readonly onError: (error: unknown) => void;
  /** A beacon was dropped, because too many wait to be stored. */
  readonly onDropped: () => void;
  /** Beacons that wait to be stored at most, in each environment; 50,000 by default. */
  readonly waitingMax?: number;
  /** How often a decision waits 50 ms for the database at most; 20 times by default. */
  readonly waitsMax?: number | undefined;
}

const ENVIRONMENTS = ['production', 'sandbox'] as const;
/** Everything counted is stored this often: what an abrupt end loses. @source decision 983 */
const FLUSHED_EVERY_MS = 1000;
/** Accounts that are stored at a time. */
const FLUSHED_AT_ONCE = 4;
/** What posts and media show is read again after this long. @source decision 978 */
const RENDERED_MS = 60_000;
const RENDERED_MAX = 50_000;
const PERSON_MS = 60_000;
const PEOPLE_MAX = 100_000;
/** Beacons that wait to be stored: about 50 MB. More are dropped. @source decision 983 */
const WAITING_MAX = 50_000;

/** Serves ads in the environments whose delivery is `served`. */
export function openServing(deps: ServingDeps): AdServing<DecisionRequest, readonly PlacementDecisions[]> {
  const { services, onError } = deps;
  const { store, clock, box, delivery } = services;
  const places = new Map<Environment, Place>();
  const outages = borneOutages(deps.waitsMax);
  const placeOf = (environment: Environment): Place | undefined => {
    if (delivery.mode(environment) !== 'served') return undefined;
    const place = places.get(environment) ?? openPlace(deps, environment, outages);
    places.set(environment, place);
    return place;
  };
  let cancel = (): void => {};
  let ticking: Promise<void> | undefined;

  async function tick(): Promise<void> {
    const due: AccountCounters[] = [];
    for (const place of places.values()) due.push(...place.due());
    const next = due.values();
    const work = async (): Promise<void> => {
      for (const counters of next) await counters.flush().catch(onError);
    };
    await Promise.all(Array.from({ length: FLUSHED_AT_ONCE }, work));
    for (const place of places.values()) await place.index.refresh().catch(onError);
  }

  const opened = (
    kind: TokenKind,
    { environment, token }: BeaconRequest,
  ): (OpenedToken & { place: Place }) | undefined => {
    const place = placeOf(environment);
    const found = place?.deciding.tokens.open(kind, token);
    return found && { ...found, place: place! };
  };
  const counts = ({ beacon }: OpenedToken, { isSilent }: BeaconRequest): boolean =>
    !isSilent && clock.now() < beacon.expires_ms;

  return {
    outages,
    async decide(publisher, request) {
      const place = placeOf(publisher.environment);
      if (!place) return request.placements.map(({ id }) => ({ id, decisions: [] }));
      return decide(place.deciding, publisher, request);
    },
    view(request) {
      const found = opened('i', request);
      if (!found || !counts(found, request)) return;
      const { beacon, place } = found;
      place.counters(beacon).view({ beacon, at_ms: clock.now() });
    },
    click(request) {
      const found = opened('c', request);
      if (!found) return undefined;
      const { beacon, place, target } = found;
      if (!counts(found, request)) return target;
      const at_ms = clock.now();
      place.counters(beacon).click({ beacon, at_ms });
      if (!beacon.isMeasured) return target;
      const click = touchOf({ beacon, is: 'click', at: formatInstant(at_ms) });
      return withClickId(
        target,
        sealClickId(box, request.environment, { ...click, click: beacon.nonce, mustCount: true }),
      );
    },
    async ready() {
      await Promise.all(ENVIRONMENTS.map((environment) => placeOf(environment)?.index.begun()));
    },
    flush: (account) => placeOf(account.environment)?.known(account.id)?.flush(),
    start() {
      if (!ENVIRONMENTS.some((environment) => delivery.mode(environment) === 'served')) return;
      cancel = every(FLUSHED_EVERY_MS, () => {
        ticking ??= tick()
          .catch(onError)
          .finally(() => {
            ticking = undefined;
          });
      });
    },
    async stop() {
      cancel();
      await ticking;
      for (const place of places.values()) for (const counters of place.all()) await counters.flush().catch(onError);
      if (places.size > 0) await store.write((tx) => tx.budgetLeases.removeOf(deps.node)).catch(onError);
      for (const place of places.values()) place.forget();
    },
  };
}

/** A creative that was read, or is being read. */
interface Rendered {
  at_ms: number;
  /** Undefined when it has been read. */
  reading: Promise<RenderedCreative | undefined> | undefined;
  /** The last one that was read. */
  last: RenderedCreative | undefined;
}

/** Serving in one environment. */
interface Place {
  readonly deciding: Deciding;
  readonly index: AdIndex;
  /** The counters of the account of a beacon. */
  counters(beacon: Beacon): AccountCounters;
  known(account: string): AccountCounters | undefined;
  all(): Iterable<AccountCounters>;
  forget(): void;
  /** Those that have something to store. */
  due(): AccountCounters[];
}

function openPlace(
  { services, node, onDropped, waitingMax = WAITING_MAX }: ServingDeps,
  environment: Environment,
  outages: BorneOutages,
): Place {
  const { store, clock, secrets, box } = services;
  const index = openAdIndex(services, environment);
  const random = pooledRandom(secrets);
  const seen = frequencies(store, clock);
  const all = new Map<string, AccountCounters>();
  const onStored = ({ counted }: Stored): void => {
    for (const { beacon, is } of counted) {
      if (is === 'view' && beacon.person !== '') seen.forget(beacon.account, beacon.person);
    }
  };
  store.onInvalidate(['serving'], (tags) => {
    if (tags === EVERYTHING) for (const counters of all.values()) counters.reread();
    else {
      for (const tag of tags) {
        const [account = '', name, asking] = tag.slice('serving:'.length).split('/');
        if (asking === undefined) all.get(account)?.reread(name);
        else if (asking !== node) all.get(account)?.giveBack();
      }
    }
  });
  let waiting = 0;
  const room = {
    takeRoom(): boolean {
      if (waiting < waitingMax) {
        waiting += 1;
        return true;
      }
      onDropped();
      return false;
    },
    giveRoom(beacons: number): void {
      waiting -= beacons;
    },
  };
  const countersOf = (account: SettledAccount): AccountCounters => {
    const found = all.get(account.id) ?? accountCounters(account, { store, clock, node, onStored, ...room });
    all.set(account.id, found);
    return found;
  };
  const people = boundedCache<string, { readonly person: NumberedPerson | undefined; readonly at_ms: number }>(
    PEOPLE_MAX,
  );
  const viewer = (request: DecisionRequest): Viewer | Promise<Viewer> => {
    const { user, context } = request;
    if (!user || !('id' in user)) return viewerOf(undefined, context);
    const known = people.get(user.id);
    if (known && clock.now() - known.at_ms < PERSON_MS) return viewerOf(known.person, context);
    return store
      .read((tx) => tx.directory.findPerson(user.id))
      .then((person) => {
        people.set(user.id, { person, at_ms: clock.now() });
        return viewerOf(person, context);
      });
  };
  const rendered = boundedCache<string, Rendered>(RENDERED_MAX);
  const render = (ad: Ad, id: string): ReturnType<Deciding['render']> => {
    const known = rendered.get(id);
    if (known && clock.now() - known.at_ms < RENDERED_MS) return known.reading ?? known.last;
    const reading = renderCreative(services, ad, ad.creatives.find((each) => each.id === id)!);
    const next: Rendered = { at_ms: clock.now(), reading, last: known?.last };
    rendered.set(id, next);
    reading.then(
      (found) => {
        next.last = found;
        next.reading = undefined;
      },
      () => {
        next.at_ms = Number.NEGATIVE_INFINITY;
      },
    );
    return reading;
  };
  const deciding: Deciding = {
    ...{ environment, index, frequencies: seen, outages, render, viewerOf: viewer },
    knownRender: (id) => rendered.get(id)?.last,
    knownViewer: ({ user, context }) =>
      viewerOf(user && 'id' in user ? people.get(user.id)?.person : undefined, context),
    ranking: ranking(
      clock,
      () => fraction(random),
      ({ account }) => countersOf(account),
    ),
    tokens: openTokens(box, environment, random),
    random,
    names: personNames(box, environment),
    now: () => clock.now(),
    countersOf: ({ account }) => countersOf(account),
    url: (path) => services.pageUrl(environment, path),
  };
  return {
    deciding,
    index,
    counters: ({ account: id, timezone }) => countersOf({ id, environment, timezone }),
    known: (id) => all.get(id),
    all: () => all.values(),
    forget() {
      all.clear();
      waiting = 0;
    },
    due() {
      const now_ms = clock.now();
      for (const counters of all.values()) counters.expire(now_ms);
      return [...all.values()].filter((counters) => counters.isDue());
    },
  };
}
