import type { Clock } from '../../../base/clock.ts';
import { nextTurn } from '../../../base/timers.ts';
import type { Environment } from '../../../contract/declare/account-state.ts';
import type { Services } from '../../../contract/declare/operation.ts';
import type { SettledAccount } from '../../../contract/services/delivery.ts';
import { EVERYTHING } from '../../../contract/store/cache-changes.ts';
import { askingOf, authorName, listActiveLines, READ_AT_ONCE, readAds } from './ads.ts';
import { type HeldAccount, type HeldAds, heldAds } from './held-ads.ts';
import { LEASES_WANTED } from './store-beacons.ts';

/** The ads of all accounts of an environment, in memory. */
export interface AdIndex {
  readonly held: Pick<HeldAds, 'lists' | 'accounts'>;
  /** Resolves once everything was read for the first time; undefined when it was. */
  begun(): Promise<void> | undefined;
  /** Resolves when few changes that were acknowledged before have been read; undefined when there is nothing to wait for. */
  current(): Promise<void> | undefined;
  /** Reads what is stale in the background, and accounts whose audiences may have changed, the oldest first. */
  refresh(): Promise<void>;
}

/** Members of audiences, and what has become of bids, are read again after this long. */
const REFRESHED_AFTER_MS = 300_000;
/** Decisions wait for no more line items than these; of what takes longer, they show nothing. */
const WAITED_LINES_MAX = 100;

/** What has to be read of an account: some line items, or all. */
type Stale = Set<string> | 'all';

/**
 * Keeps the ads of an environment. What a unit of work has announced to have changed, in this process or another one, is not
 * shown until it was read again. @source decision 978
 */
export function openAdIndex(
  services: Pick<Services, 'store' | 'audiences' | 'keywords' | 'delivery'> & { readonly clock: Clock },
  environment: Environment,
): AdIndex {
  const { store, clock } = services;
  const held = heldAds();
  const stale = new Map<string, Stale>();
  let isEverythingStale = true;
  let hasBegun = false;
  let turns = 0;
  let small: Promise<void> | undefined;
  let nextSmall: Promise<void> | undefined;
  let large: Promise<void> | undefined;
  /** Reads under way: what they have found may lack what changes now. */
  let reads = 0;
  /** What has changed since they began and belonged to nothing, as `ACCOUNT/ID`, and authors. */
  const unknown = new Set<string>();

  store.onInvalidate(['serving', 'account', 'user'], (tags) => {
    if (tags === EVERYTHING) {
      // Hidden once it is known which accounts there are: until then, decisions wait, or the database is away.
      isEverythingStale = true;
      return;
    }
    for (const tag of tags) {
      if (tag.includes(LEASES_WANTED)) continue;
      const [, account, name] = /^(?:serving|account):([^/]*)(?:\/(.*))?$/.exec(tag) ?? [];
      if (account !== undefined) note(account, name);
      else noteAuthor(tag.slice('user:'.length));
    }
  });

  /** Whether somebody is suspended decides about everything that they have written. */
  function noteAuthor(user: string): void {
    const name = authorName(user);
    if (reads > 0) unknown.add(name);
    for (const { account } of held.accounts()) {
      for (const line of held.linesOf(account.id, name)) note(account.id, line);
    }
  }

  function note(account: string, name: string | undefined): void {
    const before = stale.get(account);
    if (before === 'all') return;
    if (name === undefined || !held.account(account)) {
      stale.set(account, 'all');
      held.hide(account);
      return;
    }
    const lines = held.linesOf(account, name);
    // A line item that was not active, or something that no active one has, unless a read is about to find it.
    if (lines.length === 0 && reads > 0) unknown.add(`${account}/${name}`);
    const all = before ?? new Set();
    for (const line of lines.length === 0 ? [name] : lines) {
      all.add(line);
      held.hide(account, line);
    }
    stale.set(account, all);
  }

  const isStale = (account: string, line: string): boolean => {
    const found = stale.get(account);
    return found === 'all' || found?.has(line) === true;
  };

  /** Whether decisions wait until this was read. */
  const isSmall = ([account, what]: readonly [string, Stale]): boolean =>
    (what === 'all' ? (held.account(account)?.lines.size ?? 0) : what.size) <= WAITED_LINES_MAX;

  const ended = (): void => {
    reads -= 1;
    if (reads === 0) unknown.clear();
  };

  async function readLines(account: SettledAccount, asking: ReturnType<typeof askingOf>, lines: readonly string[]) {
    const read = await readAds(asking, account, lines, ++turns);
    for (const [line, { names }] of unknown.size === 0 ? [] : read) {
      if (names.some((name) => unknown.has(`${account.id}/${name}`) || unknown.has(name))) note(account.id, line);
    }
    held.put(account, lines, read, (line) => isStale(account.id, line));
  }

  /** Reads an account in small parts, between which other work is done. */
  async function readAccount(account: SettledAccount, what: Stale): Promise<void> {
    const asking = askingOf(services, account, clock.now());
    if (what !== 'all') {
      const lines = [...what];
      for (let at = 0; at < lines.length; at += READ_AT_ONCE) {
        await readLines(account, asking, lines.slice(at, at + READ_AT_ONCE));
      }
      return;
    }
    const begun = turns;
    const gone = new Set(held.account(account.id)?.lines.keys());
    for (let after = ''; ; ) {
      const lines = await listActiveLines(services, account, after);
      if (lines.length > 0) await readLines(account, asking, lines);
      for (const line of lines) gone.delete(line);
      if (lines.length < READ_AT_ONCE) break;
      after = lines.at(-1)!;
      await new Promise<void>((done) => nextTurn(done));
    }
    const found = held.account(account.id);
    held.put(
      account,
      [...gone].filter((line) => (found?.lines.get(line)?.turn ?? 0) <= begun),
      new Map(),
      () => true,
    );
    if (found) found.read_ms = clock.now();
  }

  /** Reads what is stale of some accounts; what becomes stale meanwhile stays so. */
  async function read(some: readonly (readonly [string, Stale])[]): Promise<void> {
    const left = new Map(some);
    for (const id of left.keys()) stale.delete(id);
    reads += 1;
    try {
      const found = await store.read((tx) => tx.advertisers.list(environment, [...left.keys()]));
      const live = new Set(found.map(({ id }) => id));
      for (const id of [...left.keys()].filter((each) => !live.has(each))) {
        held.remove(id);
        left.delete(id);
      }
      for (const account of found) {
        await readAccount(account, left.get(account.id)!);
        left.delete(account.id);
      }
    } finally {
      ended();
      for (const id of left.keys()) note(id, undefined);
    }
  }

  let noting: Promise<void> | undefined;
  const allNoted = (): Promise<void> => {
    noting ??= noteAll().finally(() => {
      noting = undefined;
    });
    return noting;
  };

  async function noteAll(): Promise<void> {
    isEverythingStale = false;
    try {
      const found = await store.read((tx) => tx.advertisers.list(environment));
      for (const { id } of [...[...held.accounts()].map(({ account }) => account), ...found]) note(id, undefined);
    } catch (error) {
      isEverythingStale = true;
      throw error;
    }
  }

  async function readLarge(): Promise<void> {
    for (;;) {
      // Also when everything has changed while it was read.
      if (isEverythingStale) await allNoted();
      const next = [...stale].find((each) => !hasBegun || !isSmall(each));
      if (!next) break;
      await read([next]);
    }
    hasBegun = true;
  }

  /** Only one reads in the background. */
  function inBackground(): Promise<void> {
    large ??= readLarge().finally(() => {
      large = undefined;
    });
    return large;
  }

  function beginSmall(): Promise<void> {
    nextSmall = undefined;
    small = read([...stale].filter(isSmall)).finally(() => {
      small = undefined;
    });
    return small;
  }

  const refreshOldest = async (): Promise<void> => {
    const before_ms = clock.now() - REFRESHED_AFTER_MS;
    let oldest: HeldAccount | undefined;
    for (const each of held.accounts()) {
      if (each.read_ms <= before_ms && (!oldest || each.read_ms < oldest.read_ms)) oldest = each;
    }
    if (!oldest) return;
    reads += 1;
    try {
      await readAccount(oldest.account, 'all');
    } finally {
      ended();
    }
  };

  const isAllSmall = (): boolean => {
    let lines = 0;
    for (const each of held.accounts()) lines += each.lines.size;
    return lines <= WAITED_LINES_MAX;
  };

  function current(): Promise<void> | undefined {
    if (!hasBegun) return inBackground();
    if (isEverythingStale) return isAllSmall() ? inBackground().then(current) : allNoted().then(current);
    if (!isEverythingStale && stale.size === 0) return small;
    const entries = [...stale];
    if (!entries.every(isSmall)) inBackground().catch(() => {});
    if (!entries.some(isSmall)) return small;
    if (!small) return beginSmall();
    nextSmall ??= small.then(beginSmall, beginSmall);
    return nextSmall;
  }

  return {
    held,
    begun: () => (hasBegun ? undefined : inBackground()),
    current,
    async refresh() {
      await current();
      await (isEverythingStale || stale.size > 0 ? inBackground() : large);
      await refreshOldest();
    },
  };
}
