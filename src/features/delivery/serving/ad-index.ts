import type { Clock } from '../../../base/clock.ts';
import { SingleFlight } from '../../../base/single-flight.ts';
import { nextTurn } from '../../../base/timers.ts';
import type { Environment } from '../../../contract/declare/account-state.ts';
import type { Services } from '../../../contract/declare/operation.ts';
import type { SettledAccount } from '../../../contract/services/delivery.ts';
import { type Changes, EVERYTHING } from '../../../contract/store/cache-changes.ts';
import { authorKey, listActiveLines, READ_AT_ONCE, type ReadingContext, readAds, readingContext } from './ads.ts';
import { type LoadedAccount, LoadedAds } from './loaded-ads.ts';
import { LEASES_WANTED } from './store-beacons.ts';

/** Accounts are read again after this long, for new members of audiences and outcomes of bids. */
const REFRESHED_AFTER_MS = 300_000;
/** Decisions wait for reads of at most this many line items; during larger ones, they go without these ads. */
const AWAITED_LINES_MAX = 100;

/** The line items of an account that must be read again. */
type Stale = Set<string> | 'all';

/**
 * The ads of all accounts of an environment, in memory. Ads that a unit of work of any process has invalidated are
 * hidden until they have been read again.
 * @source decision 978
 */
export class AdIndex {
  readonly loaded = new LoadedAds();
  readonly #services: Pick<Services, 'store' | 'audiences' | 'keywords' | 'delivery'> & { readonly clock: Clock };
  readonly #environment: Environment;
  readonly #stale = new Map<string, Stale>();
  #isEverythingStale = true;
  #hasBegun = false;
  #turn = 0;
  readonly #background = new SingleFlight();
  readonly #marking = new SingleFlight();
  #small: Promise<void> | undefined;
  #nextSmall: Promise<void> | undefined;
  /** Number of reads under way, which may miss a change. */
  #reads = 0;
  /** Changes during these reads that matched no line item, as `ACCOUNT/ID`, and authors. */
  readonly #unmatched = new Set<string>();

  constructor(
    services: Pick<Services, 'store' | 'audiences' | 'keywords' | 'delivery'> & { readonly clock: Clock },
    environment: Environment,
  ) {
    this.#services = services;
    this.#environment = environment;
    services.store.onInvalidate(['serving', 'account', 'user'], (tags) => this.#markChanges(tags));
  }

  #markChanges(tags: Changes): void {
    if (tags === EVERYTHING) {
      // Decisions wait until accounts have been listed and their ads hidden, unless the database is unreachable.
      this.#isEverythingStale = true;
      return;
    }
    for (const tag of tags) {
      if (tag.includes(LEASES_WANTED)) continue;
      const [, account, name] = /^(?:serving|account):([^/]*)(?:\/(.*))?$/.exec(tag) ?? [];
      if (account !== undefined) this.#mark(account, name);
      else this.#markAuthor(tag.slice('user:'.length));
    }
  }

  /** Marks the line items with posts of a user, who may have been suspended. */
  #markAuthor(user: string): void {
    const name = authorKey(user);
    if (this.#reads > 0) this.#unmatched.add(name);
    for (const { account } of this.loaded.accounts()) {
      for (const line of this.loaded.linesOf(account.id, name)) this.#mark(account.id, line);
    }
  }

  #mark(account: string, name: string | undefined): void {
    const before = this.#stale.get(account);
    if (before === 'all') return;
    if (name === undefined || !this.loaded.account(account)) {
      this.#stale.set(account, 'all');
      this.loaded.hide(account);
      return;
    }
    const lines = this.loaded.linesOf(account, name);
    // Nothing in memory depends on it, but a read under way may be about to find such a line item.
    if (lines.length === 0 && this.#reads > 0) this.#unmatched.add(`${account}/${name}`);
    const all = before ?? new Set();
    for (const line of lines.length === 0 ? [name] : lines) {
      all.add(line);
      this.loaded.hide(account, line);
    }
    this.#stale.set(account, all);
  }

  #isStale(account: string, line: string): boolean {
    const stale = this.#stale.get(account);
    return stale === 'all' || stale?.has(line) === true;
  }

  /** Whether decisions wait for this read. */
  #isSmall([account, stale]: readonly [string, Stale]): boolean {
    return (stale === 'all' ? (this.loaded.account(account)?.lines.size ?? 0) : stale.size) <= AWAITED_LINES_MAX;
  }

  async #readLines(account: SettledAccount, context: ReadingContext, lines: readonly string[]): Promise<void> {
    this.#turn += 1;
    const read = await readAds(context, account, lines, this.#turn);
    for (const [line, { names }] of this.#unmatched.size === 0 ? [] : read) {
      if (names.some((name) => this.#unmatched.has(`${account.id}/${name}`) || this.#unmatched.has(name))) {
        this.#mark(account.id, line);
      }
    }
    this.loaded.put(account, lines, read, (line) => this.#isStale(account.id, line));
  }

  /** Reads an account in batches, yielding in between. */
  async #readAccount(account: SettledAccount, stale: Stale): Promise<void> {
    const context = readingContext(this.#services, account, this.#services.clock.now());
    if (stale === 'all') return this.#readAll(account, context);
    const lines = [...stale];
    for (let at = 0; at < lines.length; at += READ_AT_ONCE) {
      await this.#readLines(account, context, lines.slice(at, at + READ_AT_ONCE));
    }
  }

  async #readAll(account: SettledAccount, context: ReadingContext): Promise<void> {
    const firstTurn = this.#turn;
    const gone = new Set(this.loaded.account(account.id)?.lines.keys());
    for (let after = ''; ; ) {
      const lines = await listActiveLines(this.#services, account, after);
      if (lines.length > 0) await this.#readLines(account, context, lines);
      for (const line of lines) gone.delete(line);
      if (lines.length < READ_AT_ONCE) break;
      after = lines.at(-1)!;
      await new Promise<void>((done) => nextTurn(done));
    }
    const found = this.loaded.account(account.id);
    const removed = [...gone].filter((line) => (found?.lines.get(line)?.turn ?? 0) <= firstTurn);
    this.loaded.put(account, removed, new Map(), () => true);
    if (found) found.read_ms = this.#services.clock.now();
  }

  /** Counts a read as under way until it ends. */
  async #reading(read: () => Promise<void>): Promise<void> {
    this.#reads += 1;
    try {
      await read();
    } finally {
      this.#reads -= 1;
      if (this.#reads === 0) this.#unmatched.clear();
    }
  }

  /** Reads the stale line items of some accounts. Those that become stale in the meantime remain so. */
  async #read(some: readonly (readonly [string, Stale])[]): Promise<void> {
    const left = new Map(some);
    for (const id of left.keys()) this.#stale.delete(id);
    try {
      await this.#reading(async () => {
        const found = await this.#services.store.read((tx) => tx.advertisers.list(this.#environment, [...left.keys()]));
        const live = new Set(found.map(({ id }) => id));
        for (const id of [...left.keys()].filter((each) => !live.has(each))) {
          this.loaded.remove(id);
          left.delete(id);
        }
        for (const account of found) {
          await this.#readAccount(account, left.get(account.id)!);
          left.delete(account.id);
        }
      });
    } finally {
      for (const id of left.keys()) this.#mark(id, undefined);
    }
  }

  #markEverything(): Promise<void> {
    return this.#marking.run(async () => {
      this.#isEverythingStale = false;
      try {
        const found = await this.#services.store.read((tx) => tx.advertisers.list(this.#environment));
        const loaded = [...this.loaded.accounts()].map(({ account }) => account);
        for (const { id } of [...loaded, ...found]) this.#mark(id, undefined);
      } catch (error) {
        this.#isEverythingStale = true;
        throw error;
      }
    });
  }

  #readInBackground(): Promise<void> {
    return this.#background.run(async () => {
      for (;;) {
        // Everything may have been invalidated again during a read.
        if (this.#isEverythingStale) await this.#markEverything();
        const next = [...this.#stale].find((each) => !this.#hasBegun || !this.#isSmall(each));
        if (!next) break;
        await this.#read([next]);
      }
      this.#hasBegun = true;
    });
  }

  #readSmall(): Promise<void> {
    this.#nextSmall = undefined;
    this.#small = this.#read([...this.#stale].filter((each) => this.#isSmall(each))).finally(() => {
      this.#small = undefined;
    });
    return this.#small;
  }

  #isAllSmall(): boolean {
    let lines = 0;
    for (const each of this.loaded.accounts()) lines += each.lines.size;
    return lines <= AWAITED_LINES_MAX;
  }

  /** Resolves once everything has been read for the first time; undefined if it has. */
  firstRead(): Promise<void> | undefined {
    return this.#hasBegun ? undefined : this.#readInBackground();
  }

  /** Resolves once all small changes acknowledged before the call have been read; undefined if there are none. */
  current(): Promise<void> | undefined {
    if (!this.#hasBegun) return this.#readInBackground();
    if (this.#isEverythingStale) {
      return (this.#isAllSmall() ? this.#readInBackground() : this.#markEverything()).then(() => this.current());
    }
    if (this.#stale.size === 0) return this.#small;
    const entries = [...this.#stale];
    const small = entries.filter((each) => this.#isSmall(each));
    if (small.length < entries.length) this.#readInBackground().catch(() => {});
    if (small.length === 0) return this.#small;
    if (!this.#small) return this.#readSmall();
    this.#nextSmall ??= this.#small.then(
      () => this.#readSmall(),
      () => this.#readSmall(),
    );
    return this.#nextSmall;
  }

  /** Reads everything stale, then the account with the oldest read if it is due. */
  async refresh(): Promise<void> {
    await this.current();
    await (this.#isEverythingStale || this.#stale.size > 0 ? this.#readInBackground() : this.#background.running);
    const before_ms = this.#services.clock.now() - REFRESHED_AFTER_MS;
    let oldest: LoadedAccount | undefined;
    for (const each of this.loaded.accounts()) {
      if (each.read_ms <= before_ms && (!oldest || each.read_ms < oldest.read_ms)) oldest = each;
    }
    const account = oldest?.account;
    if (account) await this.#reading(() => this.#readAccount(account, 'all'));
  }
}
