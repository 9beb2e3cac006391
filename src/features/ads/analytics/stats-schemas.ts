import { type Schema, Type } from '../../../base/json-schema.ts';
import { STATS_JOB_STATUSES } from '../../../contract/store/stats-jobs.ts';
import { METRIC_GROUPS, type Metric } from './metrics.ts';
import { segmentParameters, statsParameters } from './stats-parameters.ts';

const closed = { additionalProperties: false } as const;

/** A schema, or null. */
export const orNull = (schema: Schema): Schema => Type.Union([schema, Type.Null()]);

const time = Type.String({ format: 'date-time' });
const series = orNull(Type.Array(Type.Integer({ minimum: 0 })));

function metricSchema({ members }: Metric): Schema {
  const [first] = members;
  if (first!.name === undefined) return series;
  return Type.Object(Object.fromEntries(members.map(({ name }) => [name!, series])), closed);
}

/** The metrics of the groups that were asked for. */
const metrics = Type.Object(
  Object.fromEntries(
    Object.values(METRIC_GROUPS)
      .flat()
      .map((metric: Metric) => [metric.name, Type.Optional(metricSchema(metric))]),
  ),
  closed,
);

const { entity, entity_ids, granularity, metric_groups, placement } = statsParameters;
const { segmentation_type } = segmentParameters;

const asked = {
  start_time: time,
  segmentation_type: orNull(segmentation_type.kind.schema),
  entity_ids: entity_ids.kind.schema,
  end_time: time,
  country: orNull(Type.String()),
  placement: placement.kind.schema,
  granularity: granularity.kind.schema,
  entity: entity.kind.schema,
  platform: orNull(Type.String()),
  metric_groups: metric_groups.kind.schema,
};

/** A document with statistics. @source analytics 5 */
export const statsSchema = Type.Object(
  {
    data_type: Type.Literal('stats'),
    time_series_length: Type.Integer({ minimum: 1 }),
    data: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          id_data: Type.Array(
            Type.Object(
              {
                segment: orNull(Type.Object({ segment_name: Type.String(), segment_value: Type.String() }, closed)),
                metrics,
              },
              closed,
            ),
            { minItems: 1 },
          ),
        },
        closed,
      ),
    ),
    request: Type.Object({ params: Type.Object(asked, closed) }, closed),
  },
  closed,
);

/** A job, with its members in this order. @source analytics 8 */
export const statsJobSchema = Type.Object(
  {
    start_time: time,
    segmentation_type: asked.segmentation_type,
    url: orNull(Type.String()),
    id_str: Type.String({ pattern: '^\\d{16}$' }),
    entity_ids: asked.entity_ids,
    end_time: time,
    country: asked.country,
    placement: asked.placement,
    id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    expires_at: orNull(time),
    account_id: Type.String(),
    status: Type.Union(STATS_JOB_STATUSES.map((status) => Type.Literal(status))),
    granularity: asked.granularity,
    entity: asked.entity,
    created_at: time,
    platform: asked.platform,
    updated_at: time,
    metric_groups: asked.metric_groups,
  },
  closed,
);

/** What the reply to a new job repeats of the request: what was given. */
export const jobRequestSchema = Type.Object(
  Object.fromEntries(
    Object.entries(asked).map(([name, schema]) => [
      name,
      ['segmentation_type', 'country', 'platform'].includes(name) ? Type.Optional(schema) : schema,
    ]),
  ),
  closed,
);
