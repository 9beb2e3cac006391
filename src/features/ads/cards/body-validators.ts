import { isObject } from '../../../base/objects.ts';
import { type Field, isErrorDetail, quoted, type RawValue } from '../../../contract/declare/fields.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';

/** Validates a value of a body: returns it without unknown members, or undefined and adds errors under their path. */
export type Validator = (raw: RawValue, path: string, errors: ErrorDetail[]) => RawValue | undefined;

/** Validators of the members of an object; other members are dropped. */
type MemberValidators = Readonly<Record<string, { readonly validate: Validator; readonly isRequired: boolean }>>;

type RawObject = Readonly<Record<string, RawValue>>;

/** A required member. */
export function required(validate: Validator): MemberValidators[string] {
  return { validate, isRequired: true };
}

/** An optional member. */
export function optional(validate: Validator): MemberValidators[string] {
  return { validate, isRequired: false };
}

/** A validator that uses the parser of a field. */
export function fieldValidator(field: Field<string>): Validator {
  return (raw, path, errors) => {
    const value = field.kind.read(raw, path);
    if (!isErrorDetail(value)) return value;
    errors.push(value);
    return undefined;
  };
}

/** An array of `min` to `max` items. Items of longer arrays are not validated. */
export function arrayOf(validate: Validator, { min, max }: { readonly min: number; readonly max: number }): Validator {
  return (raw, path, errors) => {
    const count = Array.isArray(raw) ? raw.length : 0;
    if (count < min || count > max) {
      errors.push({ problem: 'ITEMS_OUT_OF_RANGE', parameter: path, words: { min, max, count } });
      if (count === 0 || count > max) return undefined;
    }
    return (raw as readonly RawValue[]).map((item, index) => validate(item, `${path}[${index}]`, errors) ?? null);
  };
}

/** An object with known members, in the order sent; `check` adds errors of combinations. */
export function objectOf(
  members: MemberValidators,
  check?: (raw: RawObject, path: string) => readonly ErrorDetail[],
): Validator {
  return (raw, path, errors) => {
    if (!isObject(raw)) {
      errors.push({ problem: 'NOT_AN_OBJECT', parameter: path });
      return undefined;
    }
    const read = new Map<string, RawValue>();
    for (const [name, { validate, isRequired }] of Object.entries(members)) {
      const value = ownMember(raw, name) ?? null;
      if (isEmpty(value)) {
        if (isRequired) errors.push({ problem: 'MISSING_PARAMETER', parameter: `${path}.${name}` });
        continue;
      }
      const good = validate(value, `${path}.${name}`, errors);
      if (good !== undefined) read.set(name, good);
    }
    errors.push(...(check?.(raw, path) ?? []));
    return Object.fromEntries(Object.keys(raw).flatMap((name) => (read.has(name) ? [[name, read.get(name)!]] : [])));
  };
}

/** An object whose `type` member selects the validator. */
export function unionByType(kinds: Readonly<Record<string, Validator>>): Validator {
  return (raw, path, errors) => {
    if (!isObject(raw)) {
      errors.push({ problem: 'NOT_AN_OBJECT', parameter: path });
      return undefined;
    }
    const type = ownMember(raw, 'type') ?? null;
    const parameter = `${path}.type`;
    if (isEmpty(type)) {
      errors.push({ problem: 'MISSING_PARAMETER', parameter });
      return undefined;
    }
    if (typeof type === 'string' && Object.hasOwn(kinds, type)) return kinds[type]!(raw, path, errors);
    const list = Object.keys(kinds).sort().join(', ');
    errors.push({ problem: 'NOT_IN_ENUM', parameter, words: { list, raw: quoted(type) } });
    return undefined;
  };
}

/** The `type` member of an object; undefined unless it is a string. */
export function declaredType(raw: RawValue): string | undefined {
  const type = isObject(raw) ? ownMember(raw, 'type') : undefined;
  return typeof type === 'string' ? type : undefined;
}

/** An own member of an object, ignoring inherited ones. */
function ownMember(raw: RawObject, name: string): RawValue | undefined {
  return Object.hasOwn(raw, name) ? raw[name] : undefined;
}

/** Whether a member counts as missing: undefined, null or empty. @source decision 215 */
export function isEmpty(raw: RawValue | undefined): boolean {
  return raw === undefined || raw === null || raw === '';
}
