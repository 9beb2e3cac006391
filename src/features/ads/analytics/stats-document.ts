import type { DeliveryMetric } from '../../../contract/delivery/metrics.ts';
import { METRIC_GROUP_NAMES, METRIC_GROUPS, type Metric, type MetricGroup, type MetricMember } from './metrics.ts';
import { type EntityStats, othersTurn, type Series, type Stats } from './read-stats.ts';

/** What was asked for, as replies repeat it: exactly these members, in this order. @source analytics 5 */
export interface StatsRequest {
  readonly start_time: string;
  readonly segmentation_type: string | null;
  readonly entity_ids: readonly string[];
  readonly end_time: string;
  readonly country: string | null;
  readonly placement: string;
  readonly granularity: string;
  readonly entity: string;
  readonly platform: string | null;
  readonly metric_groups: readonly string[];
}

/**
 * The document with statistics: the reply to a call, and the contents of the file of a job. Metrics without activity in
 * the whole range are null, others have a number for each bucket.
 * @source analytics 5; decision 957
 */
export async function statsDocument(
  { length, entities }: Stats,
  groups: readonly MetricGroup[],
  request: StatsRequest,
): Promise<string> {
  const asked = METRIC_GROUP_NAMES.filter((group) => groups.includes(group));
  const metrics = asked.flatMap((group): readonly Metric[] => METRIC_GROUPS[group]);
  const data: string[] = [];
  for (const [at, entity] of entities.entries()) {
    // A long document lets others in between.
    if (at > 0 && length > 1) await othersTurn();
    data.push(entityJson(entity, metrics));
  }
  return (
    `{"data_type":"stats","time_series_length":${length},"data":[${data.join(',')}],` +
    `"request":{"params":${JSON.stringify(request)}}}`
  );
}

function entityJson({ id, parts }: EntityStats, metrics: readonly Metric[]): string {
  const shown = parts.map(
    ({ segment, series }) => `{"segment":${JSON.stringify(segment)},"metrics":${metricsJson(series, metrics)}}`,
  );
  return `{"id":"${id}","id_data":[${shown.join(',')}]}`;
}

function metricsJson(series: Series, metrics: readonly Metric[]): string {
  const members = metrics.map(({ name, members }) => {
    const [first] = members;
    if (first!.name === undefined) return `"${name}":${seriesJson(series, first!)}`;
    return `"${name}":{${members.map((member) => `"${member.name}":${seriesJson(series, member)}`).join(',')}}`;
  });
  return `{${members.join(',')}}`;
}

function seriesJson(series: Series, { sumOf }: MetricMember): string {
  const active = sumOf.flatMap((metric: DeliveryMetric) => series.get(metric) ?? []);
  const [first, ...others] = active;
  if (!first) return 'null';
  let text = '[';
  for (let bucket = 0; bucket < first.length; bucket++) {
    let number = first[bucket]!;
    for (const other of others) number += other[bucket]!;
    // An amount beyond what every client reads exactly is not shown as another one.
    text += (bucket > 0 ? ',' : '') + Math.min(number, Number.MAX_SAFE_INTEGER);
  }
  return `${text}]`;
}
