import { type ChangeSetRule, invalid } from '../../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { lineItemsWithCuratedCategory } from '../line-item-curated-categories.ts';
import { CONTENT_CATEGORIES } from '../reference/categories.ts';
import { referenceEntry } from '../reference/reference-entry.ts';
import {
  type CreatedCriterion,
  createdCriteria,
  criteriaQuery,
  filterByType,
  type LineCriterion,
  lineItemIds,
  readLiveCriteria,
  toLineCriterion,
} from './created-criteria.ts';
import { type Criterion, criteriaRows } from './criteria-rows.ts';

/** PLATFORM targeting values by operating system. */
const PLATFORM_OF_OS: Readonly<Record<string, string>> = { IOS: '0', ANDROID: '1', BLACKBERRY: '2' };

/** Returns the PLATFORM targeting value of a device; undefined for unknown devices. */
export function findDevicePlatform(device: string): string | undefined {
  return PLATFORM_OF_OS[referenceEntry('DEVICE', device)?.os_type?.toUpperCase() ?? ''];
}

/**
 * Rule: a platform is not combined with one of its devices, which is narrower.
 * @source campaigns 10.3; decision 142 and 179
 */
export const noBroaderPlatform: ChangeSetRule<Criterion> = async (whole) => {
  const created = includedOf(createdCriteria(whole), 'PLATFORM', 'DEVICE');
  if (created.length === 0) return [];
  const live = await readLiveCriteria(whole, lineItemIds(created), 'PLATFORM', 'DEVICE');
  return created.flatMap((own) => {
    const isPlatform = own.type === 'PLATFORM';
    const pairs = (live.get(own.line) ?? []).map((other) => (isPlatform ? [own, other] : [other, own]) as Pair);
    const clash = pairs.find(([platform, device]) => isBroader(platform, device));
    if (!clash) return [];
    const names = clash.map(({ type, value }) => referenceEntry(type, value)?.name ?? value);
    const message = `Platform ${names[0]} is broader than device ${names[1]} and cannot be combined with it`;
    return [{ index: own.index, error: invalid('targeting_value', message) }];
  });
};

type Pair = readonly [platform: LineCriterion, device: LineCriterion];

function includedOf(created: readonly CreatedCriterion[], ...types: readonly string[]): CreatedCriterion[] {
  return filterByType(created, ...types).filter(({ operator }) => operator === 'EQ');
}

function isBroader(platform: LineCriterion, device: LineCriterion): boolean {
  return (
    platform.type === 'PLATFORM' && device.type === 'DEVICE' && findDevicePlatform(device.value) === platform.value
  );
}

/**
 * Rule: targeting a TV show requires a location, and all locations are in countries of the show. The same applies
 * to locations that are added to line items with TV shows.
 * @source campaigns 10.3; decision 141
 */
export const tvShowsMatchLocations: ChangeSetRule<Criterion> = async (whole) => {
  const created = includedOf(createdCriteria(whole), 'TV_SHOW', 'LOCATION');
  if (created.length === 0) return [];
  const shows = await readLiveCriteria(whole, lineItemIds(created), 'TV_SHOW');
  if (shows.size === 0) return [];
  const places = await readLiveCriteria(whole, [...shows.keys()], 'LOCATION');
  return created.flatMap(({ index, line, type, value }) => {
    const ownPlaces = places.get(line) ?? [];
    if (type === 'TV_SHOW' && ownPlaces.length === 0) {
      return [{ index, error: NO_LOCATION }];
    }
    const isInMarkets =
      type === 'TV_SHOW'
        ? ownPlaces.every((place) => isInMarket(value, place.value))
        : (shows.get(line) ?? []).every((show) => isInMarket(show.value, value));
    return isInMarkets ? [] : [{ index, error: OUTSIDE_MARKET }];
  });
};

const NO_LOCATION: ErrorDetail = { problem: 'INVALID_TV_SHOW_LOCATIONS', parameter: 'targeting_type' };
const OUTSIDE_MARKET: ErrorDetail = { problem: 'TV_SHOW_OUTSIDE_MARKET', parameter: 'targeting_value' };

function isInMarket(show: string, place: string): boolean {
  const country = referenceEntry('LOCATION', place)?.country_code;
  return country !== undefined && (referenceEntry('TV_SHOW', show)?.country_codes ?? []).includes(country);
}

/** Rule: line items with a curated category do not target IAB categories. @source campaigns 10.3 */
export const noIabCategoryWithCurated: ChangeSetRule<Criterion> = async (whole) => {
  const created = filterByType(createdCriteria(whole), 'IAB_CATEGORY');
  const curated = await lineItemsWithCuratedCategory(whole.tx, whole.account.id, lineItemIds(created));
  const error = invalid('targeting_value', 'A line item with a curated category cannot target IAB categories');
  return created.filter(({ line }) => curated.has(line)).map(({ index }) => ({ index, error }));
};

/**
 * Rule: after a batch, the IAB categories that a line item targets form complete content categories. Excluded
 * categories (NE) are not checked.
 * @source advertising 3; campaigns 10.3; decision 138
 */
export const contentCategoriesAreComplete: ChangeSetRule<Criterion> = async (whole) => {
  if (!whole.isBatch) return [];
  const changed = whole.changes.flatMap(({ before, after }, index) =>
    before === after ? [] : { index, ...toLineCriterion(after) },
  );
  const included = includedOf(changed, 'IAB_CATEGORY');
  if (included.length === 0) return [];
  const live = await readLiveCriteria(whole, lineItemIds(included), 'IAB_CATEGORY');
  return included.flatMap(({ index, line, value }) => {
    const error = checkCompleteness(value, new Set(live.get(line)?.map((each) => each.value)));
    return error ? [{ index, error }] : [];
  });
};

/** Returns the error of an added or removed IAB category, given those targeted now. @source decision 139 */
function checkCompleteness(value: string, live: ReadonlySet<string>): ErrorDetail | undefined {
  const own = CONTENT_CATEGORIES.find(({ iab_categories: all }) => all.includes(value));
  if (own) {
    const some = own.iab_categories.filter((each) => live.has(each)).length;
    return some === 0 || some === own.iab_categories.length ? undefined : incomplete(own.id);
  }
  if (!live.has(value)) return undefined;
  const near = CONTENT_CATEGORIES.find(({ iab_categories: all }) => all.some((each) => isParentOrChild(each, value)));
  return near
    ? incomplete(near.id)
    : invalid('targeting_value', `IAB category ${value} belongs to no content category`);
}

/** Tests whether one is a subcategory of the other, as `IAB2-4` of `IAB2`. */
function isParentOrChild(one: string, other: string): boolean {
  return one.startsWith(`${other}-`) || other.startsWith(`${one}-`);
}

function incomplete(category: string): ErrorDetail {
  return invalid('targeting_value', `All IAB categories of content category ${category} must be targeted together`);
}

const KIND = 'ENGAGEMENT_TYPE';
const SOURCES = ['CAMPAIGN_ENGAGEMENT', 'USER_ENGAGEMENT'];

/**
 * Rule: ENGAGEMENT_TYPE requires CAMPAIGN_ENGAGEMENT or USER_ENGAGEMENT, and the reverse. Checked only for batches
 * with both, because single calls could not create the first of a pair.
 * @source campaigns 10.3; decision 140
 */
export const engagementsArePaired: ChangeSetRule<Criterion> = async (whole) => {
  const created = whole.isBatch ? createdCriteria(whole) : [];
  const kinds = filterByType(created, KIND);
  const sources = filterByType(created, ...SOURCES);
  if (kinds.length === 0 || sources.length === 0) return [];
  const query = criteriaQuery(whole.account.id, lineItemIds([...kinds, ...sources]), [KIND, ...SOURCES]);
  const tallies = await whole.tx.records.tally(criteriaRows, query, ['line_item_id', 'targeting_type']);
  const [withKind, withSource] = [[KIND], SOURCES].map(
    (types) =>
      new Set(
        tallies.filter((tally) => types.includes(String(tally.targeting_type))).map((tally) => tally.line_item_id),
      ),
  );
  const unpaired = (message: string) => invalid('targeting_type', message);
  return [
    ...kinds
      .filter(({ line }) => !withSource!.has(line))
      .map(({ index }) => ({
        index,
        error: unpaired('ENGAGEMENT_TYPE needs a criterion of type CAMPAIGN_ENGAGEMENT or USER_ENGAGEMENT'),
      })),
    ...sources
      .filter(({ line }) => !withKind!.has(line))
      .map(({ index, type }) => ({ index, error: unpaired(`${type} needs a criterion of type ENGAGEMENT_TYPE`) })),
  ];
};
