import Type from 'typebox';
import { type Field, field, quoted } from './fields.ts';

/** A code of so many letters, as countries and currencies have; lower-case letters are folded. */
export function code({ letters }: { letters: number }): Field<string> {
  const pattern = `^[A-Z]{${letters}}$`;
  return field<string>({
    name: 'code',
    column: 'text',
    schema: Type.String({ pattern }),
    raises: ['NOT_A_CODE'],
    present: (stored) => `"${stored}"`,
    read(raw, parameter) {
      const value = typeof raw === 'string' ? raw.trim().toUpperCase() : '';
      if (new RegExp(pattern).test(value)) return value;
      return { problem: 'NOT_A_CODE', parameter, words: { letters, raw: quoted(raw) } };
    },
  });
}
