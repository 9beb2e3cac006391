import type { Schema } from '../../base/json-schema.ts';
import { type Field, type FieldKind, field, isErrorDetail, type StoredValue } from './fields.ts';

/**
 * A refused field as a parameter: any value is an error on create; updates compare it with that of the row.
 * @source decision 130
 */
export function refusal(of: Field, verb: 'create' | 'update'): Field {
  const { kind, ...facts } = of;
  const isUpdate = verb === 'update';
  const read: FieldKind<StoredValue>['read'] = (raw, parameter) => {
    const value = kind.read(raw, parameter);
    return isUpdate && !isErrorDetail(value) ? value : { problem: 'NOT_SETTABLE', parameter };
  };
  const about = isUpdate
    ? 'Only the service sets it: any other value is refused.'
    : 'Refused: only the service sets it.';
  return field(
    { ...kind, name: 'refused', problems: ['NOT_SETTABLE'], read },
    { ...facts, writable: isUpdate ? 'input' : 'refused', description: `${of.description} ${about}` },
  );
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
