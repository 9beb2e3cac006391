import type { AnyResource } from '../../../contract/declare/resource.ts';
import type { ReadTransaction } from '../../../contract/store/store.ts';
import { type ReferenceEntry, referenceEntry } from '../reference/reference-entry.ts';
import type { StatsEntityName } from './entities.ts';
import type { MetricGroup } from './metrics.ts';

/** A division of people by what they have in common. */
export interface Segmentation {
  /** The parameter that it requires; values beyond it are counted as unknown. */
  readonly within?: 'country' | 'platform';
  /** Kinds of entities of which it tells nothing. */
  readonly without?: readonly StatsEntityName[];
  /** The targeting type whose look-up has its values. */
  readonly lookup?: string;
  /** The name of a value that no look-up has. */
  readonly names?: Readonly<Record<string, string>>;
}

/** The segment of people, or of conversions, of which it is not known. */
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

/** Conversions on websites of which it is not known which tag saw them. @source analytics 7 */
const PLATFORMS_ONLY = ['purchases', 'sign_ups', 'site_visits', 'downloads', 'custom'].map(
  (name) => `conversion_${name}`,
);

/** Whether a metric of a group can be divided so; others are null. @source analytics 7 */
export function canBeSegmented(segmentation: SegmentationName, group: MetricGroup, metric: string): boolean {
  if (group === 'LIFE_TIME_VALUE_MOBILE_CONVERSION') return false;
  if (segmentation === 'CONVERSION_TAGS') return group === 'WEB_CONVERSION' && !PLATFORMS_ONLY.includes(metric);
  return group !== 'WEB_CONVERSION' || segmentation === 'PLATFORMS';
}

/** Codes of market areas by their names, as reports number them. @source analytics 7; decision 964 */
const MARKET_CODES: Readonly<Record<string, string>> = {
  'Atlanta GA': '524',
  'Boston MA': '506',
  'Chicago IL': '602',
  'Cleveland-Akron OH': '510',
  'Dallas-Ft. Worth TX': '623',
  'Denver CO': '751',
  'Detroit MI': '505',
  'Houston TX': '618',
  'Los Angeles CA': '803',
  'Miami-Ft. Lauderdale FL': '528',
  'Minneapolis-St. Paul MN': '613',
  'New York NY': '501',
  'Orlando-Daytona Beach FL': '534',
  'Philadelphia PA': '504',
  'Phoenix AZ': '753',
  'Pittsburgh PA': '508',
  'Portland OR': '820',
  'Sacramento-Stockton CA': '862',
  'San Diego CA': '825',
  'San Francisco-Oakland-San Jose CA': '807',
  'Seattle-Tacoma WA': '819',
  'St. Louis MO': '609',
  'Tampa-St. Petersburg FL': '539',
  'Washington DC': '511',
};

/** What is asked for: a segmentation, and the country or platform that it is about. */
export interface AskedSegmentation {
  readonly type: SegmentationName;
  readonly country: string | undefined;
  readonly platform: string | undefined;
}

/** A segment as replies show it. */
export interface Segment {
  readonly segment_name: string;
  readonly segment_value: string;
}

/** Returns the value under which the deliveries of a value of the ledger are shown: its own, or UNKNOWN. */
export function valueFilter({ type, country, platform }: AskedSegmentation): (value: string) => string {
  const { within, lookup }: Segmentation = SEGMENTATIONS[type];
  if (!within) return (value) => value;
  const place = country === undefined ? undefined : referenceEntry('LOCATION', country);
  const system = platform === undefined ? undefined : referenceEntry('PLATFORM', platform);
  const isIn = (entry: ReferenceEntry | undefined): boolean =>
    entry !== undefined &&
    (within === 'country' ? entry.country_code === place?.country_code : entry.os_type === system?.os_type);
  const known = new Map<string, string>();
  return (value) => {
    const shown = known.get(value) ?? (isIn(referenceEntry(lookup!, value)) ? value : UNKNOWN);
    known.set(value, shown);
    return shown;
  };
}

/** Reads the names of values of a segmentation; returns the segment of each. */
export async function segmentsOf(
  tx: ReadTransaction,
  account: string,
  { type }: Pick<AskedSegmentation, 'type'>,
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
  const segment_name =
    own ?? names?.[value] ?? (lookup === undefined ? undefined : referenceEntry(lookup, value)?.name) ?? value;
  const segment_value = type === 'METROS' ? (MARKET_CODES[segment_name] ?? value) : value;
  return { segment_name, segment_value };
}
