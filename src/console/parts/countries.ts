import type { AccountVisit } from '../account-visit.ts';

/** The targeting value of the country with a name, or else of the first whose name begins so; undefined without one. */
export async function countryNamed({ lookUp }: AccountVisit, name: string): Promise<string | undefined> {
  if (name === '') return undefined;
  const { reply } = await lookUp('locations.list', { parameters: { location_type: 'COUNTRIES', q: name, count: 50 } });
  const rows: readonly { readonly name: string; readonly targeting_value: string }[] = reply.data ?? [];
  return (rows.find((each) => each.name.toLowerCase() === name.toLowerCase()) ?? rows[0])?.targeting_value;
}
