import type { TSchema } from 'typebox';
import { type Field, field, type Kind, type Stored } from './fields.ts';

/** The parameter that a refused field is: whatever it is given is a fault. */
export function refusal(of: Field): Field {
  const read: Kind<Stored>['read'] = (_, parameter) => ({ problem: 'NOT_SETTABLE', parameter });
  const { kind, ...facts } = of;
  const about = `${of.about} Refused: only the service sets it.`;
  return field({ ...kind, name: 'refused', raises: ['NOT_SETTABLE'], read }, { ...facts, about });
}

/** A field that old clients read and that is always null. It has no column. */
export function alwaysNull(schema: TSchema): Field<never> {
  const kind: Kind<never> = {
    name: 'null',
    column: 'none',
    schema,
    raises: [],
    present: () => 'null',
    read: (_, parameter) => ({ problem: 'NOT_TEXT', parameter }),
  };
  return field(kind).readOnly();
}
