import type { AccountVisit } from '../account-visit.ts';
import { bodyOf } from '../refused-call.ts';

/** The targeting value of the country with a name, or else of the first whose name begins so; undefined without one. */
export async function countryNamed({ lookUp }: AccountVisit, name: string): Promise<string | undefined> {
  if (name === '') return undefined;
  const parameters = { location_type: 'COUNTRIES', q: name, count: 50 };
  const rows: readonly { readonly name: string; readonly targeting_value: string }[] = bodyOf(
    await lookUp('locations.list', { parameters }),
  ).data;
  return (rows.find((each) => each.name.toLowerCase() === name.toLowerCase()) ?? rows[0])?.targeting_value;
}
