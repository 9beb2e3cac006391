import { boundedCache } from '../../../base/bounded-cache.ts';
import type { Clock } from '../../../base/clock.ts';
import { dateAround } from '../../../base/zones.ts';
import type { SettledAccount } from '../../../contract/services/delivery.ts';
import type { Store } from '../../../contract/store/store.ts';
import type { Booking } from '../bookings.ts';
import type { Beacon, BeaconEvent } from './beacon.ts';
import { budgetKeys, limitingKeys, type Payers, payersOf } from './budget-keys.ts';
import { type Stored, storeBeacons } from './store-beacons.ts';

/** Whether budgets can pay for one more action: `unknown` before they were read, `used` when a lease has to be renewed. */
export type Funds = 'enough' | 'exhausted' | 'unknown' | 'used';

/** What this process counts for one account, beyond what the ledger has. */
export interface AccountCounters {
  readonly account: SettledAccount;
  /**
   * Whether all budgets of a booking have the least price left that this process may spend; asks for more when they have
   * not, enough for one action at the bid. While the database is away, what was leased on the day counts, even if it may have
   * changed.
   */
  funds(booking: Booking, of: { readonly least: number; readonly bid: number; readonly isAway?: boolean }): Funds;
  /** What a line item or campaign has spent on the local day, promises included. */
  spentToday(key: string): number;
  /** What a total budget had left when the local day began; undefined when that is not known. */
  begunWith(key: string): number | undefined;
  /** Keeps an amount for an ad that may soon be seen. */
  promise(beacon: Beacon, amount: number): void;
  view(event: BeaconEvent): void;
  click(event: BeaconEvent): void;
  /** Impressions of a line item to a person that are not stored yet, and those promised. */
  unstored(person: string, line: string): number;
  /** Stores what has been counted, and renews leases; resolves when all that was counted before the call is stored. */
  flush(): Promise<void>;
  /** Other nodes lack budgets: gives back with the next flush what is not promised of those that are not in use. @source decision 1255 */
  giveBack(): void;
  /** Whether there is anything to store, or a budget to ask for. */
  isDue(): boolean;
  /** Changes whenever budgets may have got more to spend. */
  state(): number;
  /** Forgets promises that were not kept. */
  expire(now_ms: number): void;
  /** Budgets may have changed: of a line item, campaign or funding instrument, or any. They are read before more is spent. @source decision 1085 */
  reread(name?: string): void;
}

/** Whom counters tell, and what they need. */
export interface CounterDeps {
  readonly store: Pick<Store, 'write'>;
  readonly clock: Clock;
  /** The id of this process among those of the database. */
  readonly node: string;
  onStored(stored: Stored): void;
  /** Takes room for one more beacon that waits to be stored; false when there is none. */
  takeRoom(): boolean;
  giveRoom(beacons: number): void;
}

/** An amount is kept this long for an ad that was decided on. @source decision 982 */
const PROMISED_MS = 60_000;
/** A click waits this long for the view of its ad, which another node may have received. @source decision 980 */
const WAITING_MS = 10_000;
/** Beacons that this process has seen, so that it need not ask the database about each replay. */
const SEEN_MAX = 100_000;
/** A budget that had nothing left, or could not be asked, is asked again after this long; one of which other nodes hold a part, sooner. */
const POOR_MS = 5000;
const POOR_WITH_OTHERS_MS = 1000;
/** Line items that were not looked at for this long give back their budgets when other nodes lack them. */
const RESTING_MS = 5000;
/** Budgets of line items that were not looked at for this long are given back. @source decision 982 */
const IDLE_MS = 300_000;

/** What is kept of an ad that was decided on. There are many of them for a minute: each is as small as it can be. */
interface Promised {
  readonly amount: number;
  readonly until_ms: number;
  /** Those of its budgets; shared by all of a line item. */
  readonly keys: readonly string[];
  /** Under which its impression counts. */
  readonly shownKey: string;
}

/** The counters of an account in this process. */
export function accountCounters(account: SettledAccount, deps: CounterDeps): AccountCounters {
  const { store, clock, node, onStored, takeRoom, giveRoom } = deps;
  let views: BeaconEvent[] = [];
  let clicks: BeaconEvent[] = [];
  const leases = new Map<string, number>();
  let spent: ReadonlyMap<string, number> = new Map();
  const begun = new Map<string, number>();
  let leasedDay = '';
  /** Line items whose budgets were asked for, with what each action may cost. */
  const wanted = new Map<string, number>();
  const leased = new Set<string>();
  /** When a line item was last looked at, and the budgets that it needs. */
  const asked = new Map<string, { at_ms: number; readonly payers: Payers }>();
  const touched = new Set<string>();
  const promises = new Map<string, Promised>();
  const promised = sums();
  const unstoredSpend = sums();
  const shown = sums();
  const poorUntil = new Map<string, number>();
  const seen = boundedCache<string, true>(SEEN_MAX);
  /** Whether a beacon arrives for the first time, as far as this process knows. */
  const isFirst = (kind: string, nonce: string): boolean => {
    if (seen.has(`${kind} ${nonce}`)) return false;
    seen.set(`${kind} ${nonce}`, true);
    return true;
  };
  let isWanting = false;
  let isGivingBack = false;
  let state = 0;
  let flushing: Promise<void> | undefined;

  const today = (): string => dateAround(clock.now(), account.timezone);
  let keysByLine = new Map<string, readonly string[]>();
  let keysDay = '';
  const keysOf = (beacon: Beacon): readonly string[] => {
    const day = today();
    if (day !== keysDay) keysByLine = new Map();
    keysDay = day;
    const known = keysByLine.get(beacon.line) ?? budgetKeys(beacon, day);
    keysByLine.set(beacon.line, known);
    return known;
  };
  const release = (nonce: string): void => {
    const found = promises.get(nonce);
    if (!found) return;
    promises.delete(nonce);
    for (const key of found.keys) promised.add(key, -found.amount);
    shown.add(found.shownKey, -1);
  };
  const spend = ({ beacon, at_ms }: BeaconEvent, sign: 1 | -1): void => {
    for (const key of budgetKeys(beacon, dateAround(at_ms, account.timezone))) {
      unstoredSpend.add(key, sign * beacon.price);
    }
  };
  /** The line items whose leases are renewed next, with what each action may cost. */
  const toLease = (): Map<string, number> => {
    if (leasedDay !== today()) return new Map(wanted);
    const before_ms = clock.now() - RESTING_MS;
    const needOf = (line: string): number =>
      isGivingBack && (asked.get(line)?.at_ms ?? 0) <= before_ms ? 0 : (wanted.get(line) ?? 0);
    return new Map([...(isGivingBack ? asked.keys() : touched)].map((line) => [line, needOf(line)]));
  };

  let idleLooked_ms = Number.NEGATIVE_INFINITY;
  const idleLines = (now_ms: number): string[] => {
    // Looked for once a minute at most.
    if (asked.size === 0 || now_ms - idleLooked_ms < IDLE_MS / 5) return [];
    const found = [...asked].filter(([, { at_ms }]) => now_ms - at_ms >= IDLE_MS).map(([line]) => line);
    idleLooked_ms = found.length > 0 ? Number.NEGATIVE_INFINITY : now_ms;
    return found;
  };

  function expire(now_ms: number): void {
    for (const [nonce, { until_ms }] of promises) {
      if (until_ms > now_ms) break;
      release(nonce);
      state += 1;
    }
  }

  /** Forgets the leases of idle line items, and returns their budgets, except those that others need. */
  function takeIdle(now_ms: number): string[] {
    const idle = idleLines(now_ms);
    if (idle.length === 0 || leasedDay === '') return [];
    expire(now_ms);
    const keys = new Set<string>();
    for (const line of idle) for (const key of budgetKeys(asked.get(line)!.payers, leasedDay)) keys.add(key);
    for (const line of idle) {
      for (const all of [asked, wanted, leased, touched]) all.delete(line);
    }
    for (const { payers } of asked.values()) for (const key of budgetKeys(payers, leasedDay)) keys.delete(key);
    const back = [...keys].filter((key) => leases.has(key) && promised.of(key) === 0 && unstoredSpend.of(key) === 0);
    for (const key of back) leases.delete(key);
    return back;
  }

  async function storeAll(): Promise<void> {
    const now_ms = clock.now();
    const back = takeIdle(now_ms);
    const batch = { node, views, clicks, wanted: toLease(), back, promised: promised.all };
    views = [];
    clicks = [];
    isWanting = false;
    isGivingBack = false;
    touched.clear();
    let stored: Stored;
    try {
      stored = await store.write((tx) => storeBeacons(tx, account, batch, now_ms));
    } catch (error) {
      // Whatever the database did with them, each counts once when they are stored again.
      views = [...batch.views, ...views];
      clicks = [...batch.clicks, ...clicks];
      for (const line of batch.wanted.keys()) {
        touched.add(line);
        const payers = asked.get(line)?.payers;
        for (const key of payers ? budgetKeys(payers, leasedDay) : []) poorUntil.set(key, now_ms + POOR_MS);
      }
      isWanting = true;
      // They were not given back: other line items may lease them again, and the end of the node returns them.
      throw error;
    }
    giveRoom(batch.views.length + batch.clicks.length - stored.waiting.length);
    for (const event of batch.views) {
      const { beacon } = event;
      if (beacon.billed === 'impression') spend(event, -1);
      shown.add(`${beacon.person} ${beacon.line}`, -1);
    }
    for (const event of batch.clicks) if (event.beacon.billed === 'click') spend(event, -1);
    const waiting = stored.waiting.filter(({ at_ms }) => now_ms - at_ms < WAITING_MS);
    for (const event of waiting) if (event.beacon.billed === 'click') spend(event, 1);
    clicks = [...waiting, ...clicks];
    giveRoom(stored.waiting.length - waiting.length);
    // One that did not count, because the ad was not seen before, may come again.
    const counted = stored.counted.filter(({ is }) => is === 'click');
    const kept = new Set([...waiting, ...counted].map(({ beacon }) => beacon.nonce));
    for (const { beacon } of batch.clicks) if (!kept.has(beacon.nonce)) seen.delete(`c ${beacon.nonce}`);
    if (leasedDay !== stored.day) {
      for (const all of [leases, leased, begun]) all.clear();
    }
    for (const [key, amount] of stored.leases) {
      leases.set(key, amount);
      const isHeldByOthers = stored.short.get(key);
      if (isHeldByOthers === undefined) poorUntil.delete(key);
      else poorUntil.set(key, now_ms + (isHeldByOthers ? POOR_WITH_OTHERS_MS : POOR_MS));
    }
    for (const [key, amount] of stored.begun) begun.set(key, amount);
    spent = stored.spentToday;
    leasedDay = stored.day;
    state += 1;
    for (const line of batch.wanted.keys()) leased.add(line);
    onStored(stored);
  }

  async function flush(): Promise<void> {
    // One that is under way may have begun before what was counted last.
    while (flushing) await flushing.catch(() => {});
    const isStored = views.length === 0 && clicks.length === 0 && !isWanting;
    if (isStored && leasedDay === today() && isLeased() && idleLines(clock.now()).length === 0) return;
    flushing = storeAll().finally(() => {
      flushing = undefined;
    });
    await flushing;
  }

  return {
    account,
    funds(booking, { least, bid, isAway = false }) {
      const day = today();
      const need = wanted.get(booking.id) ?? 0;
      if (need < bid) wanted.set(booking.id, bid);
      const before = asked.get(booking.id);
      const at_ms = clock.now();
      if (before) before.at_ms = at_ms;
      else asked.set(booking.id, { at_ms, payers: payersOf(booking) });
      if ((!leased.has(booking.id) && !isAway) || day !== leasedDay) {
        touched.add(booking.id);
        return 'unknown';
      }
      for (const key of limitingKeys(booking, day)) {
        const left = (leases.get(key) ?? 0) - promised.of(key) - unstoredSpend.of(key);
        if (left >= least) continue;
        // Renewed, but not all the time: a budget may be used up for the day.
        if ((poorUntil.get(key) ?? 0) > at_ms) return 'exhausted';
        touched.add(booking.id);
        isWanting = true;
        return 'used';
      }
      return 'enough';
    },
    spentToday: (key) => (spent.get(key) ?? 0) + promised.of(key) + unstoredSpend.of(key),
    begunWith: (key) => begun.get(key),
    promise(beacon, amount) {
      const keys = keysOf(beacon);
      const shownKey = `${beacon.person} ${beacon.line}`;
      promises.set(beacon.nonce, { amount, keys, shownKey, until_ms: clock.now() + PROMISED_MS });
      for (const key of keys) promised.add(key, amount);
      touched.add(beacon.line);
      shown.add(shownKey, 1);
    },
    view(event) {
      if (!isFirst('v', event.beacon.nonce)) return;
      if (!takeRoom()) return void seen.delete(`v ${event.beacon.nonce}`);
      release(event.beacon.nonce);
      views.push(event);
      if (event.beacon.billed === 'impression') spend(event, 1);
      shown.add(`${event.beacon.person} ${event.beacon.line}`, 1);
    },
    click(event) {
      if (!isFirst('c', event.beacon.nonce)) return;
      if (!takeRoom()) return void seen.delete(`c ${event.beacon.nonce}`);
      clicks.push(event);
      if (event.beacon.billed === 'click') spend(event, 1);
    },
    unstored: (person, line) => shown.of(`${person} ${line}`),
    flush,
    giveBack() {
      if (asked.size === 0) return;
      isGivingBack = true;
      isWanting = true;
    },
    isDue: () => views.length > 0 || clicks.length > 0 || isWanting || idleLines(clock.now()).length > 0,
    state: () => state,
    expire,
    reread(name) {
      for (const [line, { payers }] of asked) {
        if (name === undefined || Object.values(payers).includes(name)) leased.delete(line);
      }
      state += 1;
    },
  };

  function isLeased(): boolean {
    for (const line of wanted.keys()) if (!leased.has(line)) return false;
    return true;
  }
}

/** Sums by key; those that are 0 take no memory. */
function sums() {
  const all = new Map<string, number>();
  return {
    all: all as ReadonlyMap<string, number>,
    of: (key: string): number => all.get(key) ?? 0,
    add(key: string, amount: number): void {
      const sum = (all.get(key) ?? 0) + amount;
      if (sum === 0) all.delete(key);
      else all.set(key, sum);
    },
  };
}
