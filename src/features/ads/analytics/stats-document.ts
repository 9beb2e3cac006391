import { HOUR_MAX } from '../../../contract/delivery/packed-hours.ts';
import { METRIC_GROUP_NAMES, METRIC_GROUPS, type Metric, type MetricGroup, type MetricMember } from './metrics.ts';
import { type EntityStats, type Series, type Stats, yieldToRequests } from './read-stats.ts';
import type { StatsRequest } from './stats-parameters.ts';
import { STATS_REQUEST_MEMBERS } from './stats-schemas.ts';

/** Number of digits of the largest number of an hour. */
const DIGITS_MAX = 19;
const [OPENING, COMMA, CLOSING, ZERO] = Buffer.from('[,]0') as unknown as readonly [number, number, number, number];

/**
 * Generates the document with statistics: the reply to a call, and the contents of the file of a job. Metrics without
 * activity in the whole range are null, others have a number for each bucket. Yields to other requests between entities.
 * @param answers statistics of one or more entities each, all with the same range
 * @source analytics 5; decision 957
 */
export async function* statsDocument(
  answers: Iterable<Stats> | AsyncIterable<Stats>,
  groups: readonly MetricGroup[],
  request: StatsRequest,
): AsyncGenerator<string, void, undefined> {
  const inOrder = METRIC_GROUP_NAMES.filter((group) => groups.includes(group));
  const metrics = inOrder.flatMap((group): readonly Metric[] => METRIC_GROUPS[group]);
  let separator = '';
  let isBegun = false;
  for await (const { length, entities } of answers) {
    if (!isBegun) yield `{"data_type":"stats","time_series_length":${length},"data":[`;
    isBegun = true;
    for (const entity of entities) {
      if (separator && length > 1) await yieldToRequests();
      yield separator + entityJson(entity, metrics);
      separator = ',';
    }
  }
  yield `],"request":{"params":${JSON.stringify(request, STATS_REQUEST_MEMBERS)}}}`;
}

function entityJson({ id, parts }: EntityStats, metrics: readonly Metric[]): string {
  const data = parts.map(
    ({ segment, series }) => `{"segment":${JSON.stringify(segment)},"metrics":${metricsJson(series, metrics)}}`,
  );
  return `{"id":"${id}","id_data":[${data.join(',')}]}`;
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
  const active = sumOf.flatMap((metric) => series.get(metric) ?? []);
  const [first, ...others] = active;
  if (!first) return 'null';
  const digits = Buffer.allocUnsafe(first.length * (DIGITS_MAX + 1) + 1);
  let at = 0;
  for (let bucket = 0; bucket < first.length; bucket++) {
    let number = first[bucket]!;
    for (const other of others) number += other[bucket]!;
    digits[at++] = bucket === 0 ? OPENING : COMMA;
    at = writeCount(Math.min(number, HOUR_MAX), digits, at);
  }
  digits[at++] = CLOSING;
  return digits.toString('latin1', 0, at);
}

/** Writes a non-negative integer in decimal digits; returns the end offset. */
function writeCount(number: number, digits: Buffer, start: number): number {
  if (number > Number.MAX_SAFE_INTEGER) return start + digits.write(String(BigInt(number)), start, 'latin1');
  let end = start + 1;
  for (let above = 10; above <= number; above *= 10) end += 1;
  let rest = number;
  for (let at = end - 1; at >= start; at--) {
    const tens = Math.floor(rest / 10);
    digits[at] = ZERO + (rest - tens * 10);
    rest = tens;
  }
  return end;
}
