import type { Condition, PersonList, PersonWord } from '../../../contract/store/directory.ts';
import { referenceEntry } from '../reference/reference-entry.ts';
import { platformVersions } from '../reference/targeting-tables.ts';
import type { EstimateCriterion } from './parse-criteria.ts';

/** The attribute of a person that holds a location, by location type. */
const LOCATION_ATTRIBUTES: Readonly<Record<string, PersonWord>> = {
  COUNTRIES: 'country',
  REGIONS: 'region',
  METROS: 'metro',
  CITIES: 'city',
  POSTAL_CODES: 'postal_code',
};

const ATTRIBUTES: Readonly<Record<string, PersonWord>> = {
  GENDER: 'gender',
  LANGUAGE: 'language',
  PLATFORM: 'platform',
  DEVICE: 'device',
  NETWORK_OPERATOR: 'network_operator',
  WIFI_ONLY: 'wifi',
};

const LISTS: Readonly<Record<string, { readonly list: PersonList; readonly prefix?: string; readonly alike?: true }>> =
  {
    INTEREST: { list: 'interests' },
    FOLLOWERS_OF_USER: { list: 'follows' },
    SIMILAR_TO_FOLLOWERS_OF_USER: { list: 'follows', alike: true },
    STORE_CATEGORY: { list: 'store_categories' },
    STORE_CATEGORY_LOOKALIKE: { list: 'store_categories', alike: true },
    ENGAGEMENT_TYPE: { list: 'engagements' },
    CAMPAIGN_ENGAGEMENT: { list: 'engagements', prefix: 'campaign:' },
    CAMPAIGN_ENGAGEMENT_LOOKALIKE: { list: 'engagements', prefix: 'campaign:', alike: true },
    USER_ENGAGEMENT: { list: 'engagements', prefix: 'user:' },
    USER_ENGAGEMENT_LOOKALIKE: { list: 'engagements', prefix: 'user:', alike: true },
  };

/** The mean Gregorian month. @source decision 294 */
const MONTH_S = 2_629_746;
const AGE_MAX = 200;
const FOREVER_S = 2 ** 32;

/**
 * Builds directory conditions for criteria of one type and operator, to be combined with OR; undefined for types that the
 * directory cannot match. `now` is in Unix seconds.
 * @source campaigns 10.3; decision 299 and 300
 */
export function directoryConditions(
  type: string,
  criteria: readonly EstimateCriterion[],
  now: number,
): Condition[] | undefined {
  const values = criteria.map(({ value }) => value);
  if (type === 'LOCATION') return locationConditions(values);
  if (type === 'AGE') return values.map(ageCondition);
  if (type === 'PLATFORM_VERSION')
    return [{ is: 'word', word: 'platform_version', values: matchingVersions(criteria) }];
  if (type === 'NETWORK_ACTIVATION_DURATION') return [activationCondition(criteria, now)];
  if (Object.hasOwn(ATTRIBUTES, type)) return [{ is: 'word', word: ATTRIBUTES[type]!, values }];
  if (!Object.hasOwn(LISTS, type)) return undefined;
  const { list, prefix = '', alike } = LISTS[type]!;
  const full = values.map((value) => prefix + value);
  if (!alike) return [{ is: 'listed', list, values: full }];
  return full.map((value) => ({ is: 'alike', to: { is: 'listed', list, values: [value] } }));
}

function locationConditions(values: readonly string[]): Condition[] {
  const byWord = Map.groupBy(
    values,
    (value) => LOCATION_ATTRIBUTES[referenceEntry('LOCATION', value)!.location_type!]!,
  );
  return [...byWord].map(([word, places]) => ({
    is: 'word',
    word,
    values: places.map((value) => (word === 'country' ? referenceEntry('LOCATION', value)!.country_code! : value)),
  }));
}

/** Parses `AGE_25_TO_49` or `AGE_OVER_50`; both ends are inclusive. */
function ageCondition(bucket: string): Condition {
  const [from, to] = bucket.match(/\d+/g)!.map(Number);
  return { is: 'age', from: from!, to: to ?? AGE_MAX };
}

/**
 * Returns the platform versions that criteria match: those named, and all within the bounds of an operating system.
 * @source decision 294
 */
function matchingVersions(criteria: readonly EstimateCriterion[]): string[] {
  const all = platformVersions();
  const entryOf = (value: string) => all.find((entry) => entry.targeting_value === value)!;
  const versions = new Set(criteria.filter(({ operator }) => operator === 'EQ').map(({ value }) => value));
  const bounds = criteria.filter(({ operator }) => operator === 'GTE' || operator === 'LT');
  for (const [system, own] of Map.groupBy(bounds, ({ value }) => entryOf(value).os_type)) {
    // Bounds of one kind are combined with OR: the widest wins.
    const least = own.filter(({ operator }) => operator === 'GTE').map(({ value }) => entryOf(value).number);
    const most = own.filter(({ operator }) => operator === 'LT').map(({ value }) => entryOf(value).number);
    for (const { targeting_value, number, os_type } of all) {
      const isAbove = least.length === 0 || least.some((bound) => compareVersions(number, bound) >= 0);
      const isBelow = most.length === 0 || most.some((bound) => compareVersions(number, bound) < 0);
      if (os_type === system && isAbove && isBelow) versions.add(targeting_value);
    }
  }
  return [...versions];
}

/** Compares version numbers: `9` < `10`, `4` < `4.4`. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number)) as [number[], number[]];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Builds the condition of activation less than, at least, or between numbers of months ago. */
function activationCondition(criteria: readonly EstimateCriterion[], now: number): Condition {
  const months = (operator: string) =>
    criteria.filter((each) => each.operator === operator).map(({ value }) => Number(value));
  const [under, atLeast] = [months('LT'), months('GTE')];
  return {
    is: 'activated',
    from: under.length > 0 ? now - Math.max(...under) * MONTH_S + 1 : 1,
    to: atLeast.length > 0 ? now - Math.min(...atLeast) * MONTH_S + 1 : FOREVER_S,
  };
}
