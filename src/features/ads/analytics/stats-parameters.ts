import type { AccountState } from '../../../contract/declare/account-state.ts';
import {
  type Field,
  field,
  id,
  isErrorDetail,
  itemsOf,
  listOf,
  oneOf,
  text,
} from '../../../contract/declare/fields.ts';
import type { AccountCall, Input } from '../../../contract/declare/operation.ts';
import { type Role, STATS_READERS } from '../../../contract/declare/roles.ts';
import { type ErrorDetail, type ProblemName, problem } from '../../../contract/problems/problems.ts';
import type { StatsJob } from '../../../contract/store/stats-jobs.ts';
import { countryCodeOf, referenceEntry } from '../reference/reference-entry.ts';
import type { Granularity } from './buckets.ts';
import { STATS_ENTITIES, type StatsEntityName } from './entities.ts';
import { METRIC_GROUP_NAMES, type MetricGroup } from './metrics.ts';
import type { StatsQuery } from './read-stats.ts';
import { SEGMENTATIONS, type Segmentation, type SegmentationName } from './segmentations.ts';
import { checkRange, parseTimeRange, RANGE_PROBLEMS, timeBound } from './time-range.ts';

/** A valid request, with its times as UTC texts; jobs store its members. */
export type StatsRequest = Pick<StatsJob, 'start_time' | 'end_time' | 'entity' | 'entity_ids' | 'granularity'> &
  Pick<StatsJob, 'metric_groups' | 'placement' | 'segmentation_type' | 'country' | 'platform'>;

/** Roles that may read statistics, including the role for statistics of organic posts. */
export const STATS_AND_ORGANIC_READERS: readonly Role[] = [...STATS_READERS, 'ANALYST'];
/** The only entity kind visible to the role ANALYST. */
export const ORGANIC: StatsEntityName = 'ORGANIC_POST';

/** Placements of statistics, in the order of replies. */
export const STATS_PLACEMENTS = ['ALL_ON_SERVICE', 'PUBLISHER_NETWORK', 'SPOTLIGHT', 'TREND'] as const;

const IDS_MAX = 20;

/** A case-insensitive enum, stored in upper case. @source analytics 2 */
export function anyCaseOneOf<const W extends string>(...words: readonly W[]): Field<W> {
  const { kind } = oneOf(...words);
  return field<W>({
    ...kind,
    name: 'word',
    read(raw, parameter) {
      const read = kind.read(typeof raw === 'string' ? raw.toUpperCase() : raw, parameter);
      return isErrorDetail(read) ? kind.read(raw, parameter) : read;
    },
  });
}

/** The parameters that statistics and jobs share. @source analytics 2 */
export const statsParameters = {
  entity: anyCaseOneOf(...(Object.keys(STATS_ENTITIES) as StatsEntityName[]))
    .required()
    .describe('Entity kind; case-insensitive, like all enum values here.'),
  entity_ids: listOf(id(), { max: IDS_MAX })
    .required()
    .describe('Entity ids; for an account, its own id. Ids of other kinds are omitted from the reply.'),
  start_time: timeBound()
    .required()
    .describe('Start of the range, on the hour; a date means midnight in the time zone of the account.'),
  end_time: timeBound()
    .required()
    .describe('End of the range, exclusive; a date means midnight in the time zone of the account.'),
  granularity: anyCaseOneOf('DAY', 'HOUR', 'TOTAL')
    .required()
    .describe('Width of the buckets. With `DAY`, both times must be midnight in the time zone of the account.'),
  metric_groups: listOf(anyCaseOneOf(...METRIC_GROUP_NAMES))
    .required()
    .describe('Metric groups; groups that an entity does not have are null.'),
  placement: anyCaseOneOf(...STATS_PLACEMENTS)
    .required()
    .describe('Where ads ran; `ALL_ON_SERVICE` includes all single placements on the service.'),
};

/** The additional parameters of jobs. @source analytics 2 and 7 */
export const segmentParameters = {
  segmentation_type: anyCaseOneOf(...(Object.keys(SEGMENTATIONS) as SegmentationName[])).describe(
    'Attribute of people by which the numbers are divided.',
  ),
  country: text({ max: 64 }).describe(
    'Targeting value of a country: only people there are counted. Required for segments by location.',
  ),
  platform: text({ max: 64 }).describe(
    'Targeting value of a platform: only people on it are counted. Required for devices and their versions.',
  ),
};

/** The problems of `checkStats`, beyond those of single parameters. */
export const STATS_PROBLEMS: readonly ProblemName[] = [...RANGE_PROBLEMS, 'NOT_MIDNIGHT'];
/** The additional problems of segmentations. */
export const SEGMENT_PROBLEMS: readonly ProblemName[] = [
  'SEGMENTATION_UNAVAILABLE',
  'NOT_A_COUNTRY',
  'NOT_A_TARGETING_VALUE',
];

/** Returns the errors of parameter combinations. @source analytics 4 */
export function checkStats(input: Input, account: AccountState, days_max: number): ErrorDetail[] {
  return checkRange(input, { zone: account.timezone, days_max, isOfDays: input.granularity === 'DAY' });
}

/** Returns the errors of the segmentation. @source analytics 4 and 7 */
export function checkSegments({ segmentation_type: type, entity, metric_groups, ...input }: Input): ErrorDetail[] {
  if (type === undefined || type === null) return [];
  const errors: ErrorDetail[] = [];
  const { within }: Segmentation = SEGMENTATIONS[type as SegmentationName];
  if (within) errors.push(...placeErrors(within, input[within]));
  if (entity === 'MEDIA_CREATIVE' || entity === ORGANIC) {
    errors.push({ problem: 'SEGMENTATION_UNAVAILABLE', parameter: 'segmentation_type', words: { entity } });
  }
  const groups = itemsOf(metric_groups);
  const other = groups.find((group) => group !== 'WEB_CONVERSION');
  if (type === 'CONVERSION_TAGS' && other !== undefined) {
    const words = { list: 'WEB_CONVERSION', raw: other };
    errors.push({ problem: 'NOT_IN_ENUM', parameter: 'metric_groups', words });
  }
  return errors;
}

function placeErrors(parameter: 'country' | 'platform', value: Input[string] | undefined): ErrorDetail[] {
  if (value === undefined || value === null) return [{ problem: 'MISSING_PARAMETER', parameter }];
  const raw = String(value);
  if (parameter === 'country') {
    return countryCodeOf(raw) ? [] : [{ problem: 'NOT_A_COUNTRY', parameter, words: { raw } }];
  }
  const words = { name: 'PLATFORM', raw };
  return referenceEntry('PLATFORM', raw) ? [] : [{ problem: 'NOT_A_TARGETING_VALUE', parameter, words }];
}

/** Builds the request from valid input. */
export function parseStatsRequest(input: Input, zone: string): StatsRequest {
  const { from, until } = parseTimeRange(input, { zone });
  const textOf = (name: string): string | null => (input[name] == null ? null : String(input[name]));
  return {
    start_time: from,
    segmentation_type: textOf('segmentation_type'),
    entity_ids: itemsOf(input.entity_ids),
    end_time: until,
    country: textOf('country'),
    placement: String(input.placement),
    granularity: String(input.granularity),
    entity: String(input.entity),
    platform: textOf('platform'),
    metric_groups: itemsOf(input.metric_groups),
  };
}

/** Builds the query of a request. */
export function toStatsQuery(request: StatsRequest, account: StatsQuery['account']): StatsQuery {
  const { segmentation_type: type, country, platform } = request;
  return {
    account,
    entity: request.entity as StatsEntityName,
    entity_ids: request.entity_ids,
    from: request.start_time,
    until: request.end_time,
    granularity: request.granularity as Granularity,
    groups: request.metric_groups as readonly MetricGroup[],
    placement: request.placement,
    segmentation: type === null ? undefined : { type: type as SegmentationName, country, platform },
  };
}

/** Throws unless the caller's role may read statistics of this kind of entity. @source analytics 1 */
export function checkRole({ role, account }: Pick<AccountCall, 'role' | 'account'>, entity: unknown): void {
  if (role === 'ANALYST' && entity !== ORGANIC) {
    throw problem('ACTION_NOT_ALLOWED', { words: { account: account.id } });
  }
}
