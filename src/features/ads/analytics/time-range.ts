import { formatInstant, instantMs } from '../../../base/instants.ts';
import { Type } from '../../../base/json-schema.ts';
import { localDayAt, startOfDay, startOfHour } from '../../../base/zones.ts';
import { type Field, field, instant } from '../../../contract/declare/fields.ts';
import type { Input } from '../../../contract/declare/operation.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';

/** The time range of a request: whole hours of the account, as UTC texts; `until` is exclusive. */
export interface TimeRange {
  readonly from: string;
  readonly until: string;
}

/** The rules of a range. */
interface RangeRules {
  /** The time zone of the account. */
  readonly zone: string;
  /** The time zone in which a date means its midnight; that of the account by default. */
  readonly dateZone?: string;
  /** Both bounds must be midnight in the time zone of the account. */
  readonly isOfDays?: boolean;
  /** Maximum length; an hour more is allowed for changes to winter time. */
  readonly days_max: number;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const DATE_LENGTH = 'YYYY-MM-DD'.length;
const NAMES = ['start_time', 'end_time'] as const;
/** Time zones are computed for these years only. */
const EARLIEST = '1900';
const LATEST = '9999';

/**
 * A bound of a range: an instant, or a date, which is stored as it is because its meaning depends on the account.
 * @source analytics 3 and 4
 */
export function timeBound(): Field<string> {
  const { kind } = instant();
  return field<string>({
    ...kind,
    name: 'time bound',
    readsEmpty: true,
    schema: Type.Union([kind.schema, Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' })]),
    read(raw, parameter) {
      const read = kind.read(raw, parameter);
      if (typeof read !== 'string') return read;
      if (read < EARLIEST || read >= LATEST) {
        const value = String(raw);
        return { problem: 'NOT_TIME', parameter, words: { raw: value }, details: 'invalid date', value };
      }
      return String(raw).length === DATE_LENGTH ? String(raw) : read;
    },
  });
}

/** The problems of `checkRange`. */
export const RANGE_PROBLEMS = ['FRACTIONAL_HOUR', 'TIME_WINDOW_EMPTY', 'STATS_WINDOW_TOO_LONG'] as const;

/** Returns the errors of the range of a request; bounds that could not be parsed are skipped. @source analytics 3 and 4; decision 956 */
export function checkRange(input: Input, rules: RangeRules): ErrorDetail[] {
  const errors = NAMES.flatMap((name) => boundErrors(input[name], name, rules));
  const [from, until] = NAMES.map((name) => boundMs(input[name], rules));
  if (errors.length > 0 || from === undefined || until === undefined) return errors;
  if (until <= from) return [{ problem: 'TIME_WINDOW_EMPTY', parameter: '' }];
  const { days_max: days } = rules;
  if (until - from > days * DAY_MS + HOUR_MS) {
    return [{ problem: 'STATS_WINDOW_TOO_LONG', parameter: '', words: { days } }];
  }
  return [];
}

/** Returns the range of a request that passed `checkRange`. */
export function parseTimeRange(input: Input, rules: Pick<RangeRules, 'zone' | 'dateZone'>): TimeRange {
  const [from, until] = NAMES.map((name) => {
    const ms = boundMs(input[name], rules)!;
    // In zones whose offset is not whole hours, a UTC hour stands for the local hour that contains it.
    return formatInstant(startOfHour(ms, localDayAt(ms, rules.zone)));
  });
  return { from: from!, until: until! };
}

function boundMs(
  value: Input[string] | undefined,
  { zone, dateZone = zone }: Pick<RangeRules, 'zone' | 'dateZone'>,
): number | undefined {
  if (value === undefined || value === null) return undefined;
  const text = String(value);
  return instantMs(text.length === DATE_LENGTH ? startOfDay(text, dateZone) : text);
}

function boundErrors(value: Input[string] | undefined, parameter: string, rules: RangeRules): readonly ErrorDetail[] {
  const ms = boundMs(value, rules);
  if (ms === undefined) return [];
  const { start_ms, end_ms } = localDayAt(ms, rules.zone);
  if ((ms - start_ms) % HOUR_MS !== 0 && ms % HOUR_MS !== 0) return [{ problem: 'FRACTIONAL_HOUR', parameter }];
  if (!rules.isOfDays || ms === start_ms) return [];
  const nearest_ms = ms - start_ms <= end_ms - ms ? start_ms : end_ms;
  const { date } = localDayAt(nearest_ms, rules.zone);
  const hint = `The time zone of the account is ${rules.zone}. For ${parameter}, the nearest midnight there is ${formatInstant(nearest_ms)}; the date ${date} means the same.`;
  return [{ problem: 'NOT_MIDNIGHT', parameter: '', hint }];
}
