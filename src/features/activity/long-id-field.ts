import { Type } from '../../base/json-schema.ts';
import { type Field, field, quoted } from '../../contract/declare/fields.ts';
import { isLongId, LONG_ID } from '../../contract/declare/long-ids.ts';

/**
 * A 64-bit id as a decimal string. JSON numbers are refused because they may have lost digits.
 * @source activity 17.2; decision 338
 */
export function longIdField(): Field<string> {
  return field({
    name: 'digits',
    column: 'text',
    schema: Type.String({ pattern: LONG_ID.source }),
    problems: ['NOT_DIGITS'],
    toJson: (stored) => `"${stored}"`,
    read(raw, parameter) {
      if (typeof raw === 'string' && isLongId(raw)) return raw;
      return { problem: 'NOT_DIGITS', parameter, words: { raw: quoted(raw) } };
    },
  });
}
