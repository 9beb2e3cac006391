import { nameOfCountry, nameOfLanguage } from './names.ts';
import { places } from './places.ts';
import { atFirstUse, readTable } from './table.ts';

export { isIabCategory } from './categories.ts';

/** One value that can be targeted, whatever its type. */
export interface ReferenceEntry {
  readonly targeting_value: string;
  /** In English. */
  readonly name: string;
  readonly location_type?: string;
  readonly country_code?: string;
  readonly os_type?: string;
}

type Entries = ReadonlyMap<string, ReferenceEntry>;

const tables: Readonly<Record<string, () => Entries>> = {
  LOCATION: byValue(places),
  LANGUAGE: byValue(() => readTable<keyof ReferenceEntry>('languages')),
  PLATFORM: byValue(() => readTable<keyof ReferenceEntry>('platforms')),
};

function byValue(entries: () => readonly ReferenceEntry[]): () => Entries {
  return atFirstUse(() => new Map(entries().map((entry) => [entry.targeting_value, entry])));
}

/** What a value of a targeting type means; undefined when there is no such value, or the type has no look-up. */
export function referenceEntry(targetingType: string, value: string): ReferenceEntry | undefined {
  return tables[targetingType]?.().get(value);
}

/** The name of a value in a language (BCP 47), where there is a translation. @source campaigns 10.1 */
export function localizedName(targetingType: string, value: string, lang: string): string | undefined {
  const entry = referenceEntry(targetingType, value);
  if (entry?.location_type === 'COUNTRIES') return nameOfCountry(entry.country_code!, lang);
  if (targetingType === 'LANGUAGE' && entry) return nameOfLanguage(value, lang);
  return undefined;
}
