import { instantMs } from '../../../base/instants.ts';
import type { Environment } from '../../../contract/declare/account-state.ts';
import type { Services } from '../../../contract/declare/operation.ts';
import { IDENTIFIER_BYTES, IDENTIFIER_KINDS } from '../../../contract/store/audiences.ts';
import { personNames } from '../person-names.ts';
import { type AdClick, openClickId } from './click-id.ts';
import type { Conversion, Identifiers } from './read-conversions.ts';

/** The clicks and people that match the identifiers of a conversion. */
export interface Match {
  /** The clicks of its valid click ids on ads of the account. */
  readonly clicks: readonly AdClick[];
  /** Pseudonyms of the people who may have converted. */
  readonly persons: readonly string[];
}

/** How long a click may take to count: it waits for the impression of its ad, and is stored a second later. @source decision 1123 */
const COUNTED_WITHIN_S = 30;

/**
 * Matches conversions with clicks and people by their identifiers. Unmatched conversions are omitted; those whose click
 * may still count are returned as waiting.
 * @source decision 994, 1123
 */
export async function matchConversions(
  conversions: readonly Conversion[],
  of: { readonly account: string; readonly environment: Environment; readonly now: string },
  { box, audiences, store }: Pick<Services, 'box' | 'audiences' | 'store'>,
): Promise<{ readonly matches: ReadonlyMap<Conversion, Match>; readonly waiting: readonly Conversion[] }> {
  const identifiers = new Set(conversions.flatMap((each) => each.identifiers.hashes.map(identifierOf)));
  const users = await audiences.directory.findUsers([...identifiers]);
  const names = personNames(box, of.environment);
  const clicksOf = new Map(
    conversions.map((conversion) => {
      const opened = conversion.identifiers.click_ids.map((each) => openClickId(box, of.environment, each, of.now));
      return [conversion, opened.filter((click) => click?.account_id === of.account) as AdClick[]];
    }),
  );
  const toCount = [...clicksOf.values()].flat().filter(({ mustCount }) => mustCount);
  const clicks = [...new Set(toCount.map(({ click }) => click))];
  const counted = await store.read((tx) => tx.conversions.listCountedClicks(of.account, clicks));
  const clickedAt = new Map(counted.map(({ click, clicked_at }) => [click, clicked_at]));
  const matches = new Map<Conversion, Match>();
  const waiting: Conversion[] = [];
  for (const [conversion, own] of clicksOf) {
    const isOpen = ({ mustCount, click, touched_at }: AdClick): boolean =>
      mustCount === true &&
      !clickedAt.has(click) &&
      instantMs(of.now) - instantMs(touched_at) < COUNTED_WITHIN_S * 1000;
    if (own.some(isOpen)) waiting.push(conversion);
    // Each visit of the click URL creates another click id of the same click.
    const clicks = own
      .filter(({ mustCount, click }) => !mustCount || clickedAt.has(click))
      .map((each) => ({ ...each, touched_at: clickedAt.get(each.click) ?? each.touched_at }));
    const known = conversion.identifiers.hashes.flatMap((each) => users.get(identifierOf(each)) ?? []);
    const persons = [...new Set([...clicks.map(({ person }) => person), ...known.map(names.ofUser)])];
    if (persons.length > 0) matches.set(conversion, { clicks, persons });
  }
  return { matches, waiting };
}

/** Converts a hash into an identifier of the directory: its first bytes and the code of its kind, in hexadecimal. */
function identifierOf({ kind, digits }: Identifiers['hashes'][number]): string {
  const code = IDENTIFIER_KINDS.indexOf(kind);
  return digits.slice(0, (IDENTIFIER_BYTES - 1) * 2) + code.toString(16).padStart(2, '0');
}
