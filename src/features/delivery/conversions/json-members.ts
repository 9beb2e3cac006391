import { type Field, isErrorDetail, type RawValue } from '../../../contract/declare/fields.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';

/** Members of a JSON object. */
export type Members = Readonly<Record<string, unknown>>;

/** Collects errors while members are read. */
export type AddError = (error: ErrorDetail) => void;

/** Whether a JSON value is an object. */
export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a member has no value: it is left out, null or empty. */
export function isAbsent(value: unknown): value is undefined | null | '' {
  return value === undefined || value === null || value === '';
}

/** Reads an optional member as a kind of field; undefined when it is not there or wrong. */
export function readOptional<T extends string | number>(
  value: unknown,
  parameter: string,
  { kind }: Field<T>,
  add: AddError,
): T | undefined {
  if (isAbsent(value)) return undefined;
  const read = kind.read(value as RawValue, parameter);
  if (!isErrorDetail(read)) return read;
  add(read);
  return undefined;
}
