import type { AnyResource } from '../../../contract/declare/resource.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { findSegmentPlace } from '../reference/market-codes.ts';
import { referenceEntry } from '../reference/reference-entry.ts';
import { countryOfZone, findWhole, isUnknownWithin, OTHER_DEVICES } from '../reference/segment-wholes.ts';
import type { StatsEntityName } from './entities.ts';
import type { MetricGroup } from './metrics.ts';

/** Divides people by an attribute. */
export interface Segmentation {
  /** The required parameter that limits the values. */
  readonly within?: 'country' | 'platform';
  /** Entity kinds that it does not support. */
  readonly without?: readonly StatsEntityName[];
  /** The targeting type of its values. */
  readonly lookup?: string;
  /** Names of values without reference data. */
  readonly names?: Readonly<Record<string, string>>;
}

/** The segment of people, or of conversions, with an unknown value. */
export const UNKNOWN = 'UNKNOWN';

const AGES = {
  AGE_13_TO_17: '13-17',
  AGE_18_TO_24: '18-24',
  AGE_25_TO_34: '25-34',
  AGE_35_TO_49: '35-49',
  AGE_OVER_50: '50+',
};
const NO_LANGUAGES = ['ACCOUNT', 'FUNDING_INSTRUMENT'] as const;
const NO_TAGS = ['FUNDING_INSTRUMENT', 'PROMOTED_ACCOUNT'] as const;

/** Every segmentation. @source analytics 7 */
export const SEGMENTATIONS = {
  AGE: { names: AGES },
  CONVERSION_TAGS: { without: NO_TAGS },
  DEVICES: { within: 'platform', lookup: 'DEVICE' },
  GENDER: { names: { '1': 'Male', '2': 'Female' } },
  LANGUAGES: { without: NO_LANGUAGES, lookup: 'LANGUAGE' },
  LOCATIONS: { within: 'country', lookup: 'LOCATION' },
  METROS: { within: 'country', lookup: 'LOCATION' },
  PLATFORMS: { lookup: 'PLATFORM' },
  PLATFORM_VERSIONS: { within: 'platform', lookup: 'PLATFORM_VERSION' },
  REGIONS: { within: 'country', lookup: 'LOCATION' },
} as const satisfies Readonly<Record<string, Segmentation>>;

/** The name of a segmentation. */
export type SegmentationName = keyof typeof SEGMENTATIONS;

/** Whether a segmentation divides the metrics of a group; others are null. @source analytics 7; decision 1112 */
export function canBeSegmented(segmentation: SegmentationName, group: MetricGroup): boolean {
  if (group === 'LIFE_TIME_VALUE_MOBILE_CONVERSION') return false;
  if (segmentation === 'CONVERSION_TAGS') return group === 'WEB_CONVERSION';
  return group !== 'WEB_CONVERSION' || segmentation === 'PLATFORMS';
}

/** A segmentation, and the country or platform to which it is limited. */
export interface SegmentationQuery {
  readonly type: SegmentationName;
  readonly country: string | null;
  readonly platform: string | null;
}

/** A segment as replies show it. */
export interface Segment {
  readonly segment_name: string;
  readonly segment_value: string;
}

/**
 * Returns a function that maps a value of the ledger to its segment value; undefined for values of another country or
 * platform. Each value belongs to one country and one platform, so that the segments add up to the total.
 * @source decision 963
 */
export function valueFilter(
  { type, country, platform }: SegmentationQuery,
  zone: string,
): (value: string) => string | undefined {
  const { within, lookup }: Segmentation = SEGMENTATIONS[type];
  if (!within) return (value) => value;
  const wanted = within === 'country' ? country : platform;
  const others = within === 'country' ? countryOfZone(zone) : OTHER_DEVICES;
  const known = new Map<string, string | undefined>();
  return (value) => {
    if (!known.has(value)) {
      const whole = findWhole(lookup!, value);
      const segment = whole === undefined || isUnknownWithin(value) ? UNKNOWN : value;
      known.set(value, (whole ?? others) === wanted ? segment : undefined);
    }
    return known.get(value);
  };
}

/** Returns the segment of each value of a segmentation, with its name. */
export async function segmentsOf(
  tx: ReadTransaction,
  account: string,
  type: SegmentationName,
  values: readonly string[],
  tags: AnyResource | undefined,
): Promise<ReadonlyMap<string, Segment>> {
  const named = new Map<string, string>();
  if (type === 'CONVERSION_TAGS' && tags) {
    const rows = await tx.records.getMany(tags, account, values, { deleted: 'shown' });
    for (const row of rows) named.set(row.id, String((row as unknown as { readonly name: unknown }).name));
  }
  return new Map(values.map((value) => [value, segmentOf(type, value, named.get(value))]));
}

function segmentOf(type: SegmentationName, value: string, own: string | undefined): Segment {
  if (value === UNKNOWN) return { segment_name: 'Unknown', segment_value: UNKNOWN };
  const { lookup, names }: Segmentation = SEGMENTATIONS[type];
  const entry =
    lookup === 'LOCATION' ? findSegmentPlace(value) : lookup === undefined ? undefined : referenceEntry(lookup, value);
  const segment_name = own ?? names?.[value] ?? entry?.name ?? value;
  return { segment_name, segment_value: value };
}
