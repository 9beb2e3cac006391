import { Type } from '../../base/json-schema.ts';
import { type Field, field } from '../../contract/declare/fields.ts';

/** A computed list of reasons; values are JSON texts of arrays. */
export function reasonList(words: readonly string[]): Field<string> {
  return field<string>({
    name: 'reasons',
    column: 'none',
    schema: Type.Array(Type.Literals(words)),
    problems: [],
    toJson: (stored) => stored,
    read: (_, parameter) => ({ problem: 'NOT_TEXT', parameter }),
  }).readOnly();
}
