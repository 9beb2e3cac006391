import type { Schema } from '../../base/json-schema.ts';
import { type Field, type FieldKind, field, type StoredValue } from './fields.ts';

/** A refused field as a parameter: any value is an error. */
export function refusal(of: Field): Field {
  const read: FieldKind<StoredValue>['read'] = (_, parameter) => ({ problem: 'NOT_SETTABLE', parameter });
  const { kind, ...facts } = of;
  const about = `${of.description} Refused: only the service sets it.`;
  return field({ ...kind, name: 'refused', problems: ['NOT_SETTABLE'], read }, { ...facts, description: about });
}

/** A field that is always null, for old clients. It has no column. */
export function alwaysNull(schema: Schema): Field<never> {
  const kind: FieldKind<never> = {
    name: 'null',
    column: 'none',
    schema,
    problems: [],
    toJson: () => 'null',
    read: (_, parameter) => ({ problem: 'NOT_TEXT', parameter }),
  };
  return field(kind).readOnly();
}
