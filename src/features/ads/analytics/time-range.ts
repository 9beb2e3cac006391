import { formatInstant, instantMs } from '../../../base/instants.ts';
import { Type } from '../../../base/json-schema.ts';
import { localDayAround, startOfDay, startOfHour } from '../../../base/zones.ts';
import { type Field, field, instant } from '../../../contract/declare/fields.ts';
import type { Input } from '../../../contract/declare/operation.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';

/** A range of time of a request: whole hours of the account, as UTC texts; `until` is exclusive. */
export interface TimeRange {
  readonly from: string;
  readonly until: string;
}

/** The rules of a range. */
export interface RangeRules {
  /** The time zone of the account. */
  readonly zone: string;
  /** The time zone in which a date means its midnight. */
  readonly dateZone: string;
  /** Both bounds must be midnight in the time zone of the account. */
  readonly isOfDays: boolean;
  /** The longest range; an hour more is allowed, because clocks change. */
  readonly days_max: number;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const DATE_LENGTH = 'YYYY-MM-DD'.length;
const NAMES = ['start_time', 'end_time'] as const;
/** Calendars of time zones are computed for these years only. */
const [EARLIEST, LATEST] = ['1900', '9999'];

/**
 * A bound of a range: an instant, or a date. Which instant a date means depends on the account, so it is kept as it is.
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
      if (read < EARLIEST! || read >= LATEST!) {
        return {
          problem: 'NOT_TIME',
          parameter,
          words: { raw: String(raw) },
          details: 'invalid date',
          value: String(raw),
        };
      }
      return String(raw).length === DATE_LENGTH ? String(raw) : read;
    },
  });
}

/** The problems of `checkRange`. */
export const RANGE_PROBLEMS = ['FRACTIONAL_HOUR', 'TIME_WINDOW_EMPTY', 'STATS_WINDOW_TOO_LONG'] as const;

/** The errors of the range of a request, as far as its bounds could be read. @source analytics 3 and 4; decision 956 */
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

/** The range of a request that passed `checkRange`. */
export function rangeOf(input: Input, rules: Pick<RangeRules, 'zone' | 'dateZone'>): TimeRange {
  const [from, until] = NAMES.map((name) => {
    const ms = boundMs(input[name], rules)!;
    // Where clocks differ from UTC by no whole hours, hours of UTC count from the hour of the account around them.
    return formatInstant(startOfHour(ms, localDayAround(ms, rules.zone)));
  });
  return { from: from!, until: until! };
}

function boundMs(value: Input[string] | undefined, { dateZone }: Pick<RangeRules, 'dateZone'>): number | undefined {
  if (value === undefined || value === null) return undefined;
  const text = String(value);
  return instantMs(text.length === DATE_LENGTH ? startOfDay(text, dateZone) : text);
}

function boundErrors(value: Input[string] | undefined, parameter: string, rules: RangeRules): readonly ErrorDetail[] {
  const ms = boundMs(value, rules);
  if (ms === undefined) return [];
  const { start_ms, end_ms } = localDayAround(ms, rules.zone);
  if ((ms - start_ms) % HOUR_MS !== 0 && ms % HOUR_MS !== 0) return [{ problem: 'FRACTIONAL_HOUR', parameter }];
  if (!rules.isOfDays || ms === start_ms) return [];
  const nearest_ms = ms - start_ms <= end_ms - ms ? start_ms : end_ms;
  const { date } = localDayAround(nearest_ms, rules.zone);
  const hint = `The time zone of the account is ${rules.zone}. For ${parameter}, the nearest midnight there is ${formatInstant(nearest_ms)}; the date ${date} means the same.`;
  return [{ problem: 'NOT_MIDNIGHT', parameter: '', hint }];
}
