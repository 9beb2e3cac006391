import type { SettledAccount } from '../../../contract/services/delivery.ts';
import { type AdLists, adLists } from './ad-lists.ts';
import type { Ad, LeftOut, ReadLine } from './ads.ts';

/** The ads of an account in memory. */
export interface HeldAccount {
  readonly account: SettledAccount;
  readonly lines: ReadonlyMap<string, ReadLine>;
  /** When it was last read as a whole; milliseconds since 1970. */
  read_ms: number;
}

/** The ads of an environment in memory. What has changed is not shown until it was read again. @source decision 978 */
export interface HeldAds {
  readonly lists: Pick<AdLists<Ad>, 'for'>;
  accounts(): Iterable<HeldAccount>;
  account(id: string): HeldAccount | undefined;
  /** The line items that depend on something of an account, itself included; empty when none does. */
  linesOf(account: string, name: string): readonly string[];
  /** Shows a line item no more until it was read again; without one, all of an account. */
  hide(account: string, line?: string): void;
  /** Keeps what was read of line items, unless something newer is there; what was not found is dropped. */
  put(
    account: SettledAccount,
    lines: readonly string[],
    read: ReadonlyMap<string, ReadLine>,
    isStale: (line: string) => boolean,
  ): void;
  remove(account: string): void;
}

type Held = HeldAccount & { readonly lines: Map<string, ReadLine>; readonly byName: Map<string, Set<string>> };

/** Keeps ads, and finds them by what they depend on. */
export function heldAds(): HeldAds {
  const all = new Map<string, Held>();
  const lists = adLists<Ad>();
  const link = ({ byName }: Held, line: string, { names }: ReadLine): void => {
    for (const name of names) {
      const others = byName.get(name);
      if (others) others.add(line);
      else byName.set(name, new Set([line]));
    }
  };
  const unlink = ({ byName }: Held, line: string, { names }: ReadLine): void => {
    for (const name of names) {
      const others = byName.get(name);
      others?.delete(line);
      if (others?.size === 0) byName.delete(name);
    }
  };
  const adsOf = (lines: Iterable<ReadLine | undefined>): Ad[] => {
    const found: Ad[] = [];
    for (const line of lines) if (line?.ad) found.push(line.ad);
    return found;
  };
  return {
    lists,
    accounts: () => all.values(),
    account: (id) => all.get(id),
    linesOf(account, name) {
      const held = all.get(account);
      return held ? [...(held.byName.get(name) ?? []), ...(held.lines.has(name) ? [name] : [])] : [];
    },
    hide(account, line) {
      const held = all.get(account);
      if (!held) return;
      for (const { ad } of line === undefined ? held.lines.values() : [held.lines.get(line) ?? NOTHING]) {
        if (ad) ad.isStale = true;
      }
    },
    put(account, lines, read, isStale) {
      const held = all.get(account.id) ?? { account, lines: new Map(), byName: new Map(), read_ms: 0 };
      all.set(account.id, held);
      const before: (ReadLine | undefined)[] = [];
      const by: (ReadLine | undefined)[] = [];
      for (const id of lines) {
        const known = held.lines.get(id);
        const found = read.get(id);
        if (known && found && known.turn > found.turn) continue;
        if (known) unlink(held, id, known);
        before.push(known);
        held.lines.delete(id);
        if (!found) continue;
        if (found.ad) found.ad.isStale = isStale(id);
        by.push(found);
        held.lines.set(id, found);
        link(held, id, found);
      }
      lists.replace(adsOf(before), adsOf(by));
    },
    remove(account) {
      const held = all.get(account);
      if (!held) return;
      lists.replace(adsOf(held.lines.values()), []);
      all.delete(account);
    },
  };
}

const NOTHING: { readonly ad?: Ad } = {};

/** What cannot be shown of accounts, and why. */
export function leftOutOf(accounts: Iterable<HeldAccount>): LeftOut[] {
  const found: LeftOut[] = [];
  for (const { lines } of accounts) {
    for (const [line, { reason }] of lines) if (reason !== undefined) found.push({ line, reason });
  }
  return found;
}

/** All ads of accounts. */
export function adsOf(accounts: Iterable<HeldAccount>): Ad[] {
  const found: Ad[] = [];
  for (const { lines } of accounts) for (const { ad } of lines.values()) if (ad) found.push(ad);
  return found;
}
