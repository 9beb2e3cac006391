import { Type } from '../../base/json-schema.ts';
import { type Field, field, isErrorDetail, text } from './fields.ts';

/** An email address: text with an @ between two parts. Only sending could tell whether it exists. @source decision 1132 */
export function emailAddress(): Field<string> {
  const { kind } = text({ max: 254 });
  const pattern = '^[^\\s@]+@[^\\s@]+$';
  return field<string>({
    ...kind,
    name: 'email',
    schema: Type.String({ minLength: 1, maxLength: 254, pattern }),
    problems: [...kind.problems, 'NOT_AN_EMAIL'],
    read(raw, parameter) {
      const value = kind.read(raw, parameter);
      if (isErrorDetail(value) || new RegExp(pattern).test(value)) return value;
      return { problem: 'NOT_AN_EMAIL', parameter, words: { raw: value } };
    },
  });
}
