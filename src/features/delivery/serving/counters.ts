import { boundedCache } from '../../../base/bounded-cache.ts';
import type { Clock } from '../../../base/clock.ts';
import { localDateAt } from '../../../base/zones.ts';
import type { SettledAccount } from '../../../contract/services/delivery.ts';
import type { Store } from '../../../storage/unit-of-work.ts';
import type { Booking } from '../bookings.ts';
import type { ReceivedBeacon, ServedAd } from './beacon.ts';
import { Sums } from './budget-counters.ts';
import { budgetKeys, limitingKeys, type Payers, payersOf } from './budget-keys.ts';
import { type Batch, type Stored, storeBeacons } from './store-beacons.ts';

/** Whether budgets can pay for another action: `unknown` before they have been read, `used` if a lease must be renewed. */
type Funds = 'enough' | 'exhausted' | 'unknown' | 'used';

/** Dependencies and callbacks of the counters of an account. */
export interface CounterDeps {
  readonly store: Pick<Store, 'write'>;
  readonly clock: Clock;
  /** The id of this process among the nodes. */
  readonly node: string;
  onStored(stored: Stored): void;
  /** Takes a slot in the queue of beacons to store; false if it is full. */
  takeSlot(): boolean;
  freeSlots(beacons: number): void;
}

/** How long an amount stays reserved for a chosen ad. @source decision 982 */
const RESERVED_MS = 60_000;
/** How long a click waits for the impression of its ad, which another node may have received. @source decision 980 */
const WAITING_MS = 10_000;
/** Number of recent beacons remembered to detect replays without the database. */
const SEEN_MAX = 100_000;
/** Delay before the lease of an exhausted budget is renewed. */
const EXHAUSTED_RETRY_MS = 5000;
/** The same if other nodes lease a part of it. */
const SHARED_RETRY_MS = 1000;
/** Line items without a decision for this long return their budgets when other nodes need them. */
const RESTING_MS = 5000;
/** Line items without a decision for this long return their budgets. @source decision 982 */
const IDLE_MS = 300_000;

/** A reservation; kept small, because a minute of decisions has many. */
interface Reservation {
  readonly amount: number;
  readonly until_ms: number;
  /** Budget keys, shared by all reservations of a line item. */
  readonly keys: readonly string[];
  readonly impressionKey: string;
}

/** A line item in recent auctions. */
interface RecentLine {
  readonly payers: Payers;
  decided_ms: number;
  /** The cost of one action. */
  need: number;
  isLeased: boolean;
  /** Whether the next flush renews its leases. */
  isDue: boolean;
}

/** Beacons, reservations and budget leases of one account in this process, in addition to the ledger. */
export class AccountCounters {
  readonly account: SettledAccount;
  readonly #deps: CounterDeps;
  #newImpressions: ReceivedBeacon[] = [];
  #clicks: ReceivedBeacon[] = [];
  readonly #seen = boundedCache<string, true>(SEEN_MAX);
  readonly #lines = new Map<string, RecentLine>();
  readonly #reservations = new Map<string, Reservation>();
  readonly #reserved = new Sums();
  readonly #unstoredSpend = new Sums();
  /** Unstored and expected ones, by person and line item. */
  readonly #impressions = new Sums();
  /** The amount that this process may spend of each budget on the lease day. */
  readonly #leases = new Map<string, number>();
  readonly #openingBalances = new Map<string, number>();
  #spentToday: ReadonlyMap<string, number> = new Map();
  #leaseDay = '';
  readonly #exhaustedUntil_ms = new Map<string, number>();
  #isLeaseWanted = false;
  #isReturning = false;
  #version = 0;
  #flushing: Promise<void> | undefined;
  #keysByLine = new Map<string, readonly string[]>();
  #keysDay = '';
  #idleSearched_ms = Number.NEGATIVE_INFINITY;

  constructor(account: SettledAccount, deps: CounterDeps) {
    this.account = account;
    this.#deps = deps;
  }

  /**
   * Checks whether the leases of all budgets of a booking cover the lowest price; otherwise requests enough for one action at
   * the bid. While the database is unreachable, the leases of the day count even if budgets may have changed.
   */
  funds(
    booking: Booking,
    { least, bid, isAway }: { readonly least: number; readonly bid: number; readonly isAway: boolean },
  ): Funds {
    const day = this.#today();
    const now_ms = this.#deps.clock.now();
    const line = this.#lineOf(booking, now_ms);
    if (line.need < bid) line.need = bid;
    if ((!line.isLeased && !isAway) || day !== this.#leaseDay) {
      line.isDue = true;
      return 'unknown';
    }
    for (const key of limitingKeys(booking, day)) {
      const left = (this.#leases.get(key) ?? 0) - this.#reserved.of(key) - this.#unstoredSpend.of(key);
      if (left >= least) continue;
      // Not renewed before the retry delay, because the budget may be used up for the day.
      if ((this.#exhaustedUntil_ms.get(key) ?? 0) > now_ms) return 'exhausted';
      line.isDue = true;
      this.#isLeaseWanted = true;
      return 'used';
    }
    return 'enough';
  }

  #lineOf(booking: Booking, decided_ms: number): RecentLine {
    let line = this.#lines.get(booking.id);
    if (line) line.decided_ms = decided_ms;
    else {
      line = { payers: payersOf(booking), decided_ms, need: 0, isLeased: false, isDue: false };
      this.#lines.set(booking.id, line);
    }
    return line;
  }

  /** The spend of a line item or campaign on the local day, reservations included. */
  spentToday(key: string): number {
    return (this.#spentToday.get(key) ?? 0) + this.#reserved.of(key) + this.#unstoredSpend.of(key);
  }

  /** The rest of a total budget at the start of the local day; undefined if unknown. */
  openingBalance(key: string): number | undefined {
    return this.#openingBalances.get(key);
  }

  /** Unstored and expected impressions of a line item to a person. */
  unstoredImpressions(person: string, line: string): number {
    return this.#impressions.of(`${person} ${line}`);
  }

  /** Reserves an amount for a chosen ad until its impression is reported. */
  reserve(beacon: ServedAd, amount: number): void {
    const keys = this.#keysOf(beacon);
    const impressionKey = impressionKeyOf(beacon);
    const until_ms = this.#deps.clock.now() + RESERVED_MS;
    this.#reservations.set(beacon.nonce, { amount, keys, impressionKey, until_ms });
    for (const key of keys) this.#reserved.add(key, amount);
    const line = this.#lines.get(beacon.line);
    if (line) line.isDue = true;
    this.#impressions.add(impressionKey, 1);
  }

  #keysOf(beacon: ServedAd): readonly string[] {
    const day = this.#today();
    if (day !== this.#keysDay) this.#keysByLine = new Map();
    this.#keysDay = day;
    const known = this.#keysByLine.get(beacon.line) ?? budgetKeys(beacon, day);
    this.#keysByLine.set(beacon.line, known);
    return known;
  }

  #release(nonce: string): void {
    const reservation = this.#reservations.get(nonce);
    if (!reservation) return;
    this.#reservations.delete(nonce);
    for (const key of reservation.keys) this.#reserved.add(key, -reservation.amount);
    this.#impressions.add(reservation.impressionKey, -1);
  }

  /** Releases expired reservations. */
  expire(now_ms: number): void {
    for (const [nonce, { until_ms }] of this.#reservations) {
      if (until_ms > now_ms) break;
      this.#release(nonce);
      this.#version += 1;
    }
  }

  impression(event: ReceivedBeacon): void {
    const { beacon } = event;
    if (!this.#admit(`i ${beacon.nonce}`)) return;
    this.#release(beacon.nonce);
    this.#newImpressions.push(event);
    if (beacon.billed === 'impression') this.#spend(event, 1);
    this.#impressions.add(impressionKeyOf(beacon), 1);
  }

  click(event: ReceivedBeacon): void {
    if (!this.#admit(`c ${event.beacon.nonce}`)) return;
    this.#clicks.push(event);
    if (event.beacon.billed === 'click') this.#spend(event, 1);
  }

  /** Accepts a beacon if it is new to this process, and the queue has room. */
  #admit(id: string): boolean {
    if (this.#seen.has(id) || !this.#deps.takeSlot()) return false;
    this.#seen.set(id, true);
    return true;
  }

  #spend({ beacon, at_ms }: ReceivedBeacon, sign: 1 | -1): void {
    for (const key of budgetKeys(beacon, localDateAt(at_ms, this.account.timezone))) {
      this.#unstoredSpend.add(key, sign * beacon.price);
    }
  }

  /** Changes whenever budgets may have more to spend. */
  get version(): number {
    return this.#version;
  }

  /** Makes the next decision read budgets again: those of a line item, campaign or funding instrument, or all. @source decision 1085 */
  invalidate(name?: string): void {
    for (const line of this.#lines.values()) {
      if (name === undefined || Object.values(line.payers).includes(name)) line.isLeased = false;
    }
    this.#version += 1;
  }

  /** Makes the next flush return the unreserved budgets of resting line items, which other nodes need. @source decision 1255 */
  returnResting(): void {
    if (this.#lines.size === 0) return;
    this.#isReturning = true;
    this.#isLeaseWanted = true;
  }

  /** Whether there are beacons to store, or leases to renew or return. */
  isDue(): boolean {
    return this.#hasChanges() || this.#idleLines(this.#deps.clock.now()).length > 0;
  }

  #hasChanges(): boolean {
    return this.#newImpressions.length > 0 || this.#clicks.length > 0 || this.#isLeaseWanted;
  }

  /** Stores all beacons counted before the call, and renews leases. */
  async flush(): Promise<void> {
    // A running flush may have started before the last beacon.
    while (this.#flushing) await this.#flushing.catch(() => {});
    if (!this.isDue() && this.#leaseDay === this.#today() && this.#isAllLeased()) return;
    this.#flushing = this.#storeAll().finally(() => {
      this.#flushing = undefined;
    });
    await this.#flushing;
  }

  #isAllLeased(): boolean {
    for (const { isLeased } of this.#lines.values()) if (!isLeased) return false;
    return true;
  }

  async #storeAll(): Promise<void> {
    const { store, clock, freeSlots, onStored } = this.#deps;
    const now_ms = clock.now();
    const batch = this.#takeBatch(now_ms);
    let stored: Stored;
    try {
      stored = await store.write((tx) => storeBeacons(tx, this.account, batch, now_ms));
    } catch (error) {
      this.#restore(batch, now_ms);
      throw error;
    }
    freeSlots(batch.impressions.length + batch.clicks.length - stored.waiting.length);
    for (const event of batch.impressions) {
      if (event.beacon.billed === 'impression') this.#spend(event, -1);
      this.#impressions.add(impressionKeyOf(event.beacon), -1);
    }
    this.#settleClicks(batch, stored, now_ms);
    this.#applyLeases(batch, stored, now_ms);
    onStored(stored);
  }

  #takeBatch(now_ms: number): Batch {
    const { node } = this.#deps;
    const returned = this.#dropIdleLines(now_ms);
    const needs = this.#linesToLease(now_ms);
    const batch: Batch = {
      node,
      impressions: this.#newImpressions,
      clicks: this.#clicks,
      needs,
      returned,
      reserved: this.#reserved.all,
    };
    this.#newImpressions = [];
    this.#clicks = [];
    this.#isLeaseWanted = false;
    this.#isReturning = false;
    return batch;
  }

  /** The line items whose leases are renewed next, with the cost of one action; 0 returns the rest. */
  #linesToLease(now_ms: number): Map<string, number> {
    const isNewDay = this.#leaseDay !== this.#today();
    const needs = new Map<string, number>();
    for (const [id, line] of this.#lines) {
      const isReturned = !isNewDay && this.#isReturning && line.decided_ms <= now_ms - RESTING_MS;
      if (isNewDay || line.isDue || this.#isReturning) needs.set(id, isReturned ? 0 : line.need);
      line.isDue = false;
    }
    return needs;
  }

  /** Queues a failed batch again; beacons that were stored after all do not count twice. */
  #restore({ impressions, clicks, needs }: Batch, now_ms: number): void {
    this.#newImpressions = [...impressions, ...this.#newImpressions];
    this.#clicks = [...clicks, ...this.#clicks];
    for (const id of needs.keys()) {
      const line = this.#lines.get(id)!;
      line.isDue = true;
      for (const key of budgetKeys(line.payers, this.#leaseDay)) {
        this.#exhaustedUntil_ms.set(key, now_ms + EXHAUSTED_RETRY_MS);
      }
    }
    this.#isLeaseWanted = true;
    // Leases that were not returned can be used by other line items, and end with the node.
  }

  #settleClicks({ clicks }: Batch, stored: Stored, now_ms: number): void {
    for (const event of clicks) if (event.beacon.billed === 'click') this.#spend(event, -1);
    const waiting = stored.waiting.filter(({ at_ms }) => now_ms - at_ms < WAITING_MS);
    for (const event of waiting) if (event.beacon.billed === 'click') this.#spend(event, 1);
    this.#clicks = [...waiting, ...this.#clicks];
    this.#deps.freeSlots(stored.waiting.length - waiting.length);
    // A click that did not count for lack of an impression may be reported again.
    const counted = stored.counted.filter(({ kind }) => kind === 'click');
    const kept = new Set([...waiting, ...counted].map(({ beacon }) => beacon.nonce));
    for (const { beacon } of clicks) if (!kept.has(beacon.nonce)) this.#seen.delete(`c ${beacon.nonce}`);
  }

  #applyLeases({ needs }: Batch, stored: Stored, now_ms: number): void {
    if (this.#leaseDay !== stored.day) {
      this.#leases.clear();
      this.#openingBalances.clear();
      for (const line of this.#lines.values()) line.isLeased = false;
    }
    for (const [key, amount] of stored.leases) {
      this.#leases.set(key, amount);
      const isShared = stored.short.get(key);
      if (isShared === undefined) this.#exhaustedUntil_ms.delete(key);
      else this.#exhaustedUntil_ms.set(key, now_ms + (isShared ? SHARED_RETRY_MS : EXHAUSTED_RETRY_MS));
    }
    for (const [key, amount] of stored.openingBalances) this.#openingBalances.set(key, amount);
    this.#spentToday = stored.spentToday;
    this.#leaseDay = stored.day;
    this.#version += 1;
    for (const id of needs.keys()) this.#lines.get(id)!.isLeased = true;
  }

  #idleLines(now_ms: number): (readonly [id: string, line: RecentLine])[] {
    // At most once a minute.
    if (this.#lines.size === 0 || now_ms - this.#idleSearched_ms < IDLE_MS / 5) return [];
    const idle = [...this.#lines].filter(([, { decided_ms }]) => now_ms - decided_ms >= IDLE_MS);
    this.#idleSearched_ms = idle.length > 0 ? Number.NEGATIVE_INFINITY : now_ms;
    return idle;
  }

  /** Drops idle line items; returns the keys of budgets that no other line item leases. */
  #dropIdleLines(now_ms: number): string[] {
    const idle = this.#idleLines(now_ms);
    if (idle.length === 0 || this.#leaseDay === '') return [];
    this.expire(now_ms);
    const unused = new Set<string>();
    for (const [id, { payers }] of idle) {
      for (const key of budgetKeys(payers, this.#leaseDay)) unused.add(key);
      this.#lines.delete(id);
    }
    for (const { payers } of this.#lines.values()) {
      for (const key of budgetKeys(payers, this.#leaseDay)) unused.delete(key);
    }
    const returned = [...unused].filter(
      (key) => this.#leases.has(key) && this.#reserved.of(key) === 0 && this.#unstoredSpend.of(key) === 0,
    );
    for (const key of returned) this.#leases.delete(key);
    return returned;
  }

  #today(): string {
    return localDateAt(this.#deps.clock.now(), this.account.timezone);
  }
}

function impressionKeyOf({ person, line }: ServedAd): string {
  return `${person} ${line}`;
}
