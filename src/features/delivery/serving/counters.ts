import { boundedCache } from '../../../base/bounded-cache.ts';
import type { Clock } from '../../../base/clock.ts';
import { dateAround } from '../../../base/zones.ts';
import type { SettledAccount } from '../../../contract/services/delivery.ts';
import type { Store } from '../../../storage/unit-of-work.ts';
import type { Booking } from '../bookings.ts';
import type { Beacon, BeaconEvent } from './beacon.ts';
import { budgetKeys, limitingKeys, type Payers, payersOf } from './budget-keys.ts';
import { type Batch, type Stored, storeBeacons } from './store-beacons.ts';
import { Sums } from './sums.ts';

/** Whether budgets can pay for one more action: `unknown` before they were read, `used` when a lease has to be renewed. */
type Funds = 'enough' | 'exhausted' | 'unknown' | 'used';

/** Dependencies and callbacks of the counters of an account. */
export interface CounterDeps {
  readonly store: Pick<Store, 'write'>;
  readonly clock: Clock;
  /** The id of this process among those of the database. */
  readonly node: string;
  onStored(stored: Stored): void;
  /** Reserves room for one more beacon that waits to be stored; false if there is none. */
  takeRoom(): boolean;
  giveRoom(beacons: number): void;
}

/** A promise of an amount for an ad that was decided on expires after this long. @source decision 982 */
const PROMISED_MS = 60_000;
/** A click waits this long for the view of its ad, which another node may have received. @source decision 980 */
const WAITING_MS = 10_000;
/** Beacons that this process has seen, so that it need not ask the database about each replay. */
const SEEN_MAX = 100_000;
/** Delay before the lease of an exhausted budget is renewed; shorter if other nodes lease a part of it. */
const EXHAUSTED_RETRY_MS = 5000;
const SHARED_RETRY_MS = 1000;
/** Line items without a decision for this long return their budgets when other nodes need them. */
const RESTING_MS = 5000;
/** Line items without a decision for this long return their budgets. @source decision 982 */
const IDLE_MS = 300_000;

/** A promise. There are many of them for a minute: each is as small as it can be. */
interface Promised {
  readonly amount: number;
  readonly until_ms: number;
  /** The budgets; shared by all promises of a line item. */
  readonly keys: readonly string[];
  readonly impressionKey: string;
}

interface ConsideredLine {
  readonly payers: Payers;
  considered_ms: number;
  /** What one action may cost. */
  need: number;
  isLeased: boolean;
  /** Whether the next flush renews its leases. */
  isDue: boolean;
}

/** What this process counts for one account, beyond what the ledger has. */
export class AccountCounters {
  readonly account: SettledAccount;
  readonly #deps: CounterDeps;
  #views: BeaconEvent[] = [];
  #clicks: BeaconEvent[] = [];
  readonly #seen = boundedCache<string, true>(SEEN_MAX);
  readonly #lines = new Map<string, ConsideredLine>();
  readonly #promises = new Map<string, Promised>();
  readonly #promised = new Sums();
  readonly #unstoredSpend = new Sums();
  /** Those not stored yet and those promised. */
  readonly #impressions = new Sums();
  /** What this process may spend of each budget on the day of the leases. */
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
   * Whether all budgets of a booking have the least price left that this process may spend; otherwise asks for enough for one
   * action at the bid. While the database is away, what was leased on the day counts, even if it may have changed.
   */
  funds(
    booking: Booking,
    { least, bid, isAway = false }: { readonly least: number; readonly bid: number; readonly isAway?: boolean },
  ): Funds {
    const day = this.#today();
    const now_ms = this.#deps.clock.now();
    const line = this.#consider(booking, now_ms);
    if (line.need < bid) line.need = bid;
    if ((!line.isLeased && !isAway) || day !== this.#leaseDay) {
      line.isDue = true;
      return 'unknown';
    }
    for (const key of limitingKeys(booking, day)) {
      const left = (this.#leases.get(key) ?? 0) - this.#promised.of(key) - this.#unstoredSpend.of(key);
      if (left >= least) continue;
      // Renewed, but not all the time: a budget may be used up for the day.
      if ((this.#exhaustedUntil_ms.get(key) ?? 0) > now_ms) return 'exhausted';
      line.isDue = true;
      this.#isLeaseWanted = true;
      return 'used';
    }
    return 'enough';
  }

  #consider(booking: Booking, considered_ms: number): ConsideredLine {
    let line = this.#lines.get(booking.id);
    if (line) line.considered_ms = considered_ms;
    else {
      line = { payers: payersOf(booking), considered_ms, need: 0, isLeased: false, isDue: false };
      this.#lines.set(booking.id, line);
    }
    return line;
  }

  /** What a line item or campaign has spent on the local day, promises included. */
  spentToday(key: string): number {
    return (this.#spentToday.get(key) ?? 0) + this.#promised.of(key) + this.#unstoredSpend.of(key);
  }

  /** What a total budget had left when the local day began; undefined when that is not known. */
  openingBalance(key: string): number | undefined {
    return this.#openingBalances.get(key);
  }

  /** Impressions of a line item to a person that are not stored yet, and those promised. */
  unstoredImpressions(person: string, line: string): number {
    return this.#impressions.of(`${person} ${line}`);
  }

  /** Keeps an amount for an ad that may soon be seen. */
  promise(beacon: Beacon, amount: number): void {
    const keys = this.#keysOf(beacon);
    const impressionKey = impressionKeyOf(beacon);
    const until_ms = this.#deps.clock.now() + PROMISED_MS;
    this.#promises.set(beacon.nonce, { amount, keys, impressionKey, until_ms });
    for (const key of keys) this.#promised.add(key, amount);
    const line = this.#lines.get(beacon.line);
    if (line) line.isDue = true;
    this.#impressions.add(impressionKey, 1);
  }

  #keysOf(beacon: Beacon): readonly string[] {
    const day = this.#today();
    if (day !== this.#keysDay) this.#keysByLine = new Map();
    this.#keysDay = day;
    const known = this.#keysByLine.get(beacon.line) ?? budgetKeys(beacon, day);
    this.#keysByLine.set(beacon.line, known);
    return known;
  }

  #release(nonce: string): void {
    const promised = this.#promises.get(nonce);
    if (!promised) return;
    this.#promises.delete(nonce);
    for (const key of promised.keys) this.#promised.add(key, -promised.amount);
    this.#impressions.add(promised.impressionKey, -1);
  }

  /** Releases expired promises. */
  expire(now_ms: number): void {
    for (const [nonce, { until_ms }] of this.#promises) {
      if (until_ms > now_ms) break;
      this.#release(nonce);
      this.#version += 1;
    }
  }

  view(event: BeaconEvent): void {
    const { beacon } = event;
    if (!this.#admits(`v ${beacon.nonce}`)) return;
    this.#release(beacon.nonce);
    this.#views.push(event);
    if (beacon.billed === 'impression') this.#spend(event, 1);
    this.#impressions.add(impressionKeyOf(beacon), 1);
  }

  click(event: BeaconEvent): void {
    if (!this.#admits(`c ${event.beacon.nonce}`)) return;
    this.#clicks.push(event);
    if (event.beacon.billed === 'click') this.#spend(event, 1);
  }

  /** Whether a beacon is new to this process, and may wait to be stored. */
  #admits(id: string): boolean {
    if (this.#seen.has(id) || !this.#deps.takeRoom()) return false;
    this.#seen.set(id, true);
    return true;
  }

  #spend({ beacon, at_ms }: BeaconEvent, sign: 1 | -1): void {
    for (const key of budgetKeys(beacon, dateAround(at_ms, this.account.timezone))) {
      this.#unstoredSpend.add(key, sign * beacon.price);
    }
  }

  /** Changes whenever budgets may have got more to spend. */
  get version(): number {
    return this.#version;
  }

  /** Budgets may have changed: of a line item, campaign or funding instrument, or any. They are read before more is spent. @source decision 1085 */
  invalidate(name?: string): void {
    for (const line of this.#lines.values()) {
      if (name === undefined || Object.values(line.payers).includes(name)) line.isLeased = false;
    }
    this.#version += 1;
  }

  /** Other nodes need budgets: the next flush returns what resting line items have not promised. @source decision 1255 */
  returnResting(): void {
    if (this.#lines.size === 0) return;
    this.#isReturning = true;
    this.#isLeaseWanted = true;
  }

  /** Whether there is anything to store, or a budget to ask for. */
  isDue(): boolean {
    return this.#hasChanges() || this.#idleLines(this.#deps.clock.now()).length > 0;
  }

  #hasChanges(): boolean {
    return this.#views.length > 0 || this.#clicks.length > 0 || this.#isLeaseWanted;
  }

  /** Stores what has been counted, and renews leases; resolves when all that was counted before the call is stored. */
  async flush(): Promise<void> {
    // A flush under way may have begun before the last beacon.
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
    const { store, clock, giveRoom, onStored } = this.#deps;
    const now_ms = clock.now();
    const batch = this.#takeBatch(now_ms);
    let stored: Stored;
    try {
      stored = await store.write((tx) => storeBeacons(tx, this.account, batch, now_ms));
    } catch (error) {
      this.#restore(batch, now_ms);
      throw error;
    }
    giveRoom(batch.views.length + batch.clicks.length - stored.waiting.length);
    for (const event of batch.views) {
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
    const batch = { node, views: this.#views, clicks: this.#clicks, needs, returned, promised: this.#promised.all };
    this.#views = [];
    this.#clicks = [];
    this.#isLeaseWanted = false;
    this.#isReturning = false;
    return batch;
  }

  /** The line items whose leases are renewed next, with what each action may cost. */
  #linesToLease(now_ms: number): Map<string, number> {
    const isNewDay = this.#leaseDay !== this.#today();
    const needs = new Map<string, number>();
    for (const [id, line] of this.#lines) {
      const isReturned = !isNewDay && this.#isReturning && line.considered_ms <= now_ms - RESTING_MS;
      if (isNewDay || line.isDue || this.#isReturning) needs.set(id, isReturned ? 0 : line.need);
      line.isDue = false;
    }
    return needs;
  }

  /** Whatever the database did with the beacons, each counts once when they are stored again. */
  #restore({ views, clicks, needs }: Batch, now_ms: number): void {
    this.#views = [...views, ...this.#views];
    this.#clicks = [...clicks, ...this.#clicks];
    for (const id of needs.keys()) {
      const line = this.#lines.get(id)!;
      line.isDue = true;
      for (const key of budgetKeys(line.payers, this.#leaseDay)) {
        this.#exhaustedUntil_ms.set(key, now_ms + EXHAUSTED_RETRY_MS);
      }
    }
    this.#isLeaseWanted = true;
    // Budgets were not returned: other line items may lease them again, and the end of the node returns them.
  }

  #settleClicks({ clicks }: Batch, stored: Stored, now_ms: number): void {
    for (const event of clicks) if (event.beacon.billed === 'click') this.#spend(event, -1);
    const waiting = stored.waiting.filter(({ at_ms }) => now_ms - at_ms < WAITING_MS);
    for (const event of waiting) if (event.beacon.billed === 'click') this.#spend(event, 1);
    this.#clicks = [...waiting, ...this.#clicks];
    this.#deps.giveRoom(stored.waiting.length - waiting.length);
    // A click that did not count, because the ad was not seen before, may come again.
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

  #idleLines(now_ms: number): (readonly [id: string, line: ConsideredLine])[] {
    // Once a minute at most.
    if (this.#lines.size === 0 || now_ms - this.#idleSearched_ms < IDLE_MS / 5) return [];
    const idle = [...this.#lines].filter(([, { considered_ms }]) => now_ms - considered_ms >= IDLE_MS);
    this.#idleSearched_ms = idle.length > 0 ? Number.NEGATIVE_INFINITY : now_ms;
    return idle;
  }

  /** Forgets idle line items and the leases that only they had; returns the budgets of these. */
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
      (key) => this.#leases.has(key) && this.#promised.of(key) === 0 && this.#unstoredSpend.of(key) === 0,
    );
    for (const key of returned) this.#leases.delete(key);
    return returned;
  }

  #today(): string {
    return dateAround(this.#deps.clock.now(), this.account.timezone);
  }
}

function impressionKeyOf({ person, line }: Beacon): string {
  return `${person} ${line}`;
}
