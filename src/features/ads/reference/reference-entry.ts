import { iabCategories } from './categories.ts';
import { countryName, languageName, platformName } from './localized-names.ts';
import { events } from './recurring-events.ts';
import {
  conversations,
  devices,
  interests,
  languages,
  locations,
  networkOperators,
  platforms,
  platformVersions,
  shows,
  storeCategories,
} from './targeting-tables.ts';
import { lazy } from './tsv-table.ts';

export { isIabCategory } from './categories.ts';

/** A value of the targeting reference data. */
export interface ReferenceEntry {
  readonly targeting_value: string;
  /** In English. */
  readonly name: string;
  readonly location_type?: string;
  readonly country_code?: string;
  /** Set for entries available in several countries. */
  readonly country_codes?: readonly string[];
  readonly os_type?: string;
}

const storeEntries = byValue(storeCategories);

const entriesByType: Readonly<Record<string, () => ReadonlyMap<string, ReferenceEntry>>> = {
  LOCATION: byValue(locations),
  LANGUAGE: byValue(languages),
  PLATFORM: byValue(platforms),
  PLATFORM_VERSION: byValue(platformVersions),
  DEVICE: byValue(devices),
  NETWORK_OPERATOR: byValue(networkOperators),
  INTEREST: byValue(interests),
  CONVERSATION: byValue(conversations),
  EVENT: byValue(events),
  TV_SHOW: byValue(shows),
  STORE_CATEGORY: storeEntries,
  STORE_CATEGORY_LOOKALIKE: storeEntries,
  IAB_CATEGORY: byValue(() => iabCategories().map(({ id, name }) => ({ targeting_value: id, name }))),
};

function byValue(entries: () => readonly ReferenceEntry[]): () => ReadonlyMap<string, ReferenceEntry> {
  return lazy(() => new Map(entries().map((entry) => [entry.targeting_value, entry])));
}

/** Returns the entry of a targeting value; undefined for unknown values and types without reference data. */
export function referenceEntry(targetingType: string, value: string): ReferenceEntry | undefined {
  return Object.hasOwn(entriesByType, targetingType) ? entriesByType[targetingType]!().get(value) : undefined;
}

/** Returns the name of a targeting value in a language (BCP 47), if translated. @source campaigns 10.1; decision 158 */
export function localizedName(targetingType: string, value: string, lang: string): string | undefined {
  const entry = referenceEntry(targetingType, value);
  if (!entry) return undefined;
  if (entry.location_type === 'COUNTRIES') return countryName(entry.country_code!, lang);
  if (targetingType === 'LANGUAGE') return languageName(value, lang);
  return targetingType === 'PLATFORM' ? platformName(entry.name, lang) : undefined;
}

/** Returns the code of a country by its targeting value; undefined for anything else. */
export function countryCodeOf(location: string): string | undefined {
  const entry = referenceEntry('LOCATION', location);
  return entry?.location_type === 'COUNTRIES' ? entry.country_code : undefined;
}
