import type { Environment } from '../../../contract/declare/account-state.ts';
import type { Services } from '../../../contract/declare/operation.ts';
import { IDENTIFIER_BYTES, IDENTIFIER_KINDS } from '../../../contract/store/audiences.ts';
import { personNames } from '../person-names.ts';
import { type AdClick, openClickId } from './click-id.ts';
import type { Conversion } from './read-conversions.ts';
import type { Identifiers } from './read-identifiers.ts';

/** What the identifiers of a conversion say. */
export interface Whose {
  /** The clicks of its click ids on ads of the account; forged and expired ones are absent. */
  readonly clicks: readonly AdClick[];
  /** The people it may be of, as touches name them. */
  readonly persons: readonly string[];
}

/** Finds out whose conversions these are; conversions of nobody known are absent. @source decision 994 */
export async function whoseAre(
  conversions: readonly Conversion[],
  of: { readonly account: string; readonly environment: Environment; readonly now: string },
  { box, audiences }: Pick<Services, 'box' | 'audiences'>,
): Promise<ReadonlyMap<Conversion, Whose>> {
  const asked = new Set(conversions.flatMap(({ identifiers }) => identifiers.hashes.map(identifierOf)));
  const users = await audiences.directory.findUsers([...asked]);
  const names = personNames(box, of.environment);
  const found = new Map<Conversion, Whose>();
  for (const conversion of conversions) {
    const { click_ids, hashes } = conversion.identifiers;
    const clicks = click_ids.flatMap((each) => {
      const click = openClickId(box, of.environment, each, of.now);
      return click?.account_id === of.account ? [click] : [];
    });
    const own = hashes.flatMap((each) => users.get(identifierOf(each)) ?? []).map(names.ofUser);
    const persons = [...new Set([...clicks.map(({ person }) => person), ...own])];
    if (persons.length > 0) found.set(conversion, { clicks, persons });
  }
  return found;
}

/** A hash as the directory stores it: its first bytes, then the code of its kind, in hexadecimal. */
function identifierOf({ kind, digits }: Identifiers['hashes'][number]): string {
  const code = IDENTIFIER_KINDS.indexOf(kind);
  return digits.slice(0, (IDENTIFIER_BYTES - 1) * 2) + code.toString(16).padStart(2, '0');
}
