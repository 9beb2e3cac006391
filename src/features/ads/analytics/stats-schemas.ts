import { type Schema, Type } from '../../../base/json-schema.ts';
import { STATS_JOB_STATUSES } from '../../../contract/store/stats-jobs.ts';
import { METRIC_GROUPS, type Metric } from './metrics.ts';
import { segmentParameters, statsParameters } from './stats-parameters.ts';

const string = Type.String();
const time = Type.String({ format: 'date-time' });
const series = Type.Nullable(Type.Array(Type.Integer({ minimum: 0 })));

function metricSchema({ members }: Metric): Schema {
  const [first] = members;
  if (first!.name === undefined) return series;
  return Type.Closed(Object.fromEntries(members.map(({ name }) => [name!, series])));
}

/** The metrics of the requested groups. */
const metrics = Type.Closed(
  Object.fromEntries(
    Object.values(METRIC_GROUPS)
      .flat()
      .map((metric: Metric) => [metric.name, Type.Optional(metricSchema(metric))]),
  ),
);

const { entity, entity_ids, granularity, metric_groups, placement } = statsParameters;
const { segmentation_type } = segmentParameters;

const request = {
  start_time: time,
  segmentation_type: Type.Nullable(segmentation_type.kind.schema),
  entity_ids: entity_ids.kind.schema,
  end_time: time,
  country: Type.Nullable(string),
  placement: placement.kind.schema,
  granularity: granularity.kind.schema,
  entity: entity.kind.schema,
  platform: Type.Nullable(string),
  metric_groups: metric_groups.kind.schema,
};

/** Members of the request in a document with statistics, in their order. @source analytics 5 */
export const STATS_REQUEST_MEMBERS = Object.keys(request);

/** A document with statistics. @source analytics 5 */
export const statsSchema = Type.Closed({
  data_type: Type.Literal('stats'),
  time_series_length: Type.Integer({ minimum: 1 }),
  data: Type.Array(
    Type.Closed({
      id: string,
      id_data: Type.Array(
        Type.Closed({
          segment: Type.Nullable(Type.Closed({ segment_name: string, segment_value: string })),
          metrics,
        }),
        { minItems: 1 },
      ),
    }),
  ),
  request: Type.Closed({ params: Type.Closed(request) }),
});

/** A job, with its members in this order. @source analytics 8 */
export const statsJobSchema = Type.Closed({
  start_time: time,
  segmentation_type: request.segmentation_type,
  url: Type.Nullable(string),
  id_str: Type.String({ pattern: '^\\d{16}$' }),
  entity_ids: request.entity_ids,
  end_time: time,
  country: request.country,
  placement: request.placement,
  id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  expires_at: Type.Nullable(time),
  account_id: string,
  status: Type.Literals(STATS_JOB_STATUSES),
  granularity: request.granularity,
  entity: request.entity,
  created_at: time,
  platform: request.platform,
  updated_at: time,
  metric_groups: request.metric_groups,
});

/** The request in the reply to a new job, without absent parameters. */
export const jobRequestSchema = Type.Closed(
  Object.fromEntries(
    Object.entries(request).map(([name, schema]) => [
      name,
      ['segmentation_type', 'country', 'platform'].includes(name) ? Type.Optional(schema) : schema,
    ]),
  ),
);
