import type { SettledAccount } from '../../../contract/services/delivery.ts';
import type { Ad, LeftOut, ReadLine } from './ads.ts';
import type { Viewer } from './viewer.ts';

/** The ads of an account in memory. */
export interface LoadedAccount {
  readonly account: SettledAccount;
  readonly lines: ReadonlyMap<string, ReadLine>;
  /** Time of the last complete read; milliseconds since 1970. */
  read_ms: number;
}

type Entry = LoadedAccount & { readonly lines: Map<string, ReadLine>; readonly byName: Map<string, Set<string>> };

/** Ads that target the same country and platform; rankings may change their order. */
export interface AdList {
  readonly ads: Ad[];
  /** Increases with each change of the ads. */
  changes: number;
}

/** An ad with more combinations of country and platform is listed under all of them at once. */
const KEYS_MAX = 64;

/** An index of ads by country and platform. @source decision 978 */
class AdLists {
  readonly #lists = new Map<string, AdList>();

  /** Replaces ads by others. */
  replace(before: readonly Ad[], by: readonly Ad[]): void {
    const gone = new Set(before);
    for (const key of byKey(before).keys()) {
      const list = this.#lists.get(key)!;
      let kept = 0;
      for (const ad of list.ads) if (!gone.has(ad)) list.ads[kept++] = ad;
      list.ads.length = kept;
      list.changes += 1;
    }
    for (const [key, ads] of byKey(by)) {
      const list = this.#lists.get(key) ?? { ads: [], changes: 0 };
      for (const ad of ads) list.ads.push(ad);
      list.changes += 1;
      this.#lists.set(key, list);
    }
  }

  /** Returns the lists of ads that may target a viewer. */
  for({ words: { country, platform } }: Pick<Viewer, 'words'>): readonly AdList[] {
    const found: AdList[] = [];
    for (const one of country === null ? [''] : ['', country]) {
      for (const other of platform === null ? [''] : ['', platform]) {
        const list = this.#lists.get(`${one} ${other}`);
        if (list) found.push(list);
      }
    }
    return found;
  }
}

/** The ads of an environment in memory. Changed ads are hidden until they have been read again. @source decision 978 */
export class LoadedAds {
  readonly lists = new AdLists();
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

  /** Lists line items that cannot be shown, with the reason. */
  leftOut(): LeftOut[] {
    const found: LeftOut[] = [];
    for (const { lines } of this.#accounts.values()) {
      for (const [line, { reason }] of lines) if (reason !== undefined) found.push({ line, reason });
    }
    return found;
  }

  /** Lists the line items that depend on an object of an account, or are that object. */
  linesOf(account: string, name: string): readonly string[] {
    const entry = this.#accounts.get(account);
    return entry ? [...(entry.byName.get(name) ?? []), ...(entry.lines.has(name) ? [name] : [])] : [];
  }

  /** Hides a line item, or all of an account, until they have been read again. */
  hide(account: string, line?: string): void {
    const lines = this.#accounts.get(account)?.lines;
    for (const each of line === undefined ? (lines?.values() ?? []) : [lines?.get(line)]) {
      if (each?.ad) each.ad.isStale = true;
    }
  }

  /** Stores the result of a read, except where a newer one is stored; drops line items that were not found. */
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

function byKey(ads: readonly Ad[]): Map<string, Ad[]> {
  const found = new Map<string, Ad[]>();
  for (const ad of ads) {
    for (const key of keysOf(ad)) {
      const others = found.get(key);
      if (others) others.push(ad);
      else found.set(key, [ad]);
    }
  }
  return found;
}

function keysOf({ countries, platforms }: Ad): readonly string[] {
  const one = countries && countries.length <= KEYS_MAX ? [...new Set(countries)] : [''];
  const other = platforms && platforms.length * one.length <= KEYS_MAX ? [...new Set(platforms)] : [''];
  return one.flatMap((country) => other.map((platform) => `${country} ${platform}`));
}
