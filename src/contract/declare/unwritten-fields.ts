import type { TSchema } from 'typebox';
import { type Field, type FieldKind, field, type StoredValue } from './fields.ts';

/** The parameter that a refused field is: whatever it is given is a fault. */
export function refusal(of: Field): Field {
  const read: FieldKind<StoredValue>['read'] = (_, parameter) => ({ problem: 'NOT_SETTABLE', parameter });
  const { kind, ...facts } = of;
  const about = `${of.description} Refused: only the service sets it.`;
  return field({ ...kind, name: 'refused', problems: ['NOT_SETTABLE'], read }, { ...facts, description: about });
}

/** A field that old clients read and that is always null. It has no column. */
export function alwaysNull(schema: TSchema): Field<never> {
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
