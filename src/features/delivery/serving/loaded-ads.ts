import type { SettledAccount } from '../../../contract/services/delivery.ts';
import { AdLists } from './ad-lists.ts';
import type { Ad, LeftOut, ReadLine } from './ads.ts';

/** The ads of an account in memory. */
export interface LoadedAccount {
  readonly account: SettledAccount;
  readonly lines: ReadonlyMap<string, ReadLine>;
  /** When it was last read as a whole; milliseconds since 1970. */
  read_ms: number;
}

type Entry = LoadedAccount & { readonly lines: Map<string, ReadLine>; readonly byName: Map<string, Set<string>> };

/** The ads of an environment in memory. Changed ads are not shown until they have been read again. @source decision 978 */
export class LoadedAds {
  readonly lists = new AdLists<Ad>();
  readonly #accounts = new Map<string, Entry>();

  accounts(): Iterable<LoadedAccount> {
    return this.#accounts.values();
  }

  account(id: string): LoadedAccount | undefined {
    return this.#accounts.get(id);
  }

  all(): Ad[] {
    return [...this.#accounts.values()].flatMap(({ lines }) => adsOf(lines.values()));
  }

  /** Line items that cannot be shown, and why. */
  leftOut(): LeftOut[] {
    const found: LeftOut[] = [];
    for (const { lines } of this.#accounts.values()) {
      for (const [line, { reason }] of lines) if (reason !== undefined) found.push({ line, reason });
    }
    return found;
  }

  /** The line items that depend on something of an account, itself included; empty if none does. */
  linesOf(account: string, name: string): readonly string[] {
    const entry = this.#accounts.get(account);
    return entry ? [...(entry.byName.get(name) ?? []), ...(entry.lines.has(name) ? [name] : [])] : [];
  }

  /** Hides a line item until it has been read again; without one, all of an account. */
  hide(account: string, line?: string): void {
    const lines = this.#accounts.get(account)?.lines;
    for (const each of line === undefined ? (lines?.values() ?? []) : [lines?.get(line)]) {
      if (each?.ad) each.ad.isStale = true;
    }
  }

  /** Stores line items as read, unless memory has a newer read; drops those that were not found. */
  put(
    account: SettledAccount,
    ids: readonly string[],
    read: ReadonlyMap<string, ReadLine>,
    isStale: (line: string) => boolean,
  ): void {
    const entry = this.#accounts.get(account.id) ?? { account, lines: new Map(), byName: new Map(), read_ms: 0 };
    this.#accounts.set(account.id, entry);
    const before: ReadLine[] = [];
    const after: ReadLine[] = [];
    for (const id of ids) {
      const known = entry.lines.get(id);
      const found = read.get(id);
      if (known && found && known.turn > found.turn) continue;
      if (known) {
        unlink(entry, id, known);
        before.push(known);
        entry.lines.delete(id);
      }
      if (!found) continue;
      if (found.ad) found.ad.isStale = isStale(id);
      after.push(found);
      entry.lines.set(id, found);
      link(entry, id, found);
    }
    this.lists.replace(adsOf(before), adsOf(after));
  }

  remove(account: string): void {
    const entry = this.#accounts.get(account);
    if (!entry) return;
    this.lists.replace(adsOf(entry.lines.values()), []);
    this.#accounts.delete(account);
  }
}

function link({ byName }: Entry, line: string, { names }: ReadLine): void {
  for (const name of names) {
    const others = byName.get(name);
    if (others) others.add(line);
    else byName.set(name, new Set([line]));
  }
}

function unlink({ byName }: Entry, line: string, { names }: ReadLine): void {
  for (const name of names) {
    const others = byName.get(name);
    others?.delete(line);
    if (others?.size === 0) byName.delete(name);
  }
}

function adsOf(lines: Iterable<ReadLine>): Ad[] {
  const found: Ad[] = [];
  for (const { ad } of lines) if (ad) found.push(ad);
  return found;
}
