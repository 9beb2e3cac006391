import { formatInstant } from '../../../base/instants.ts';
import { Type } from '../../../base/json-schema.ts';
import { type Field, field, quoted } from '../../../contract/declare/fields.ts';

const SHAPE = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)$/;

/** A minute as `yyyymmddhhmm` in UTC; read as the UTC text of its first second. @source activity 20.1 */
export function minuteField(): Field<string> {
  return field({
    name: 'digits',
    column: 'text',
    schema: Type.String({ pattern: '^[0-9]{12}$' }),
    problems: ['REPLAY_TIME_INVALID'],
    toJson: (stored) => `"${minuteText(stored)}"`,
    read(raw, parameter) {
      const text = typeof raw === 'number' ? String(raw) : typeof raw === 'string' ? raw : '';
      const [, year, month, day, hour, min] = SHAPE.exec(text) ?? [];
      const ms = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(min));
      // Date turns 31 February into March.
      if (year !== undefined && minuteText(formatInstant(ms)) === text) return formatInstant(ms);
      return {
        problem: 'REPLAY_TIME_INVALID',
        parameter,
        words: { raw: quoted(raw), why: 'is not a time in the format yyyymmddhhmm (UTC)' },
      };
    },
  });
}

/** The minute of an instant as `yyyymmddhhmm`. */
export function minuteText(instant: string): string {
  return instant.replace(/\D/g, '').slice(0, 12);
}
