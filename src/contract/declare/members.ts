import { isObject } from '../../base/objects.ts';
import type { ErrorDetail } from '../problems/problems.ts';
import { isErrorDetail, quoted, type RawValue, type StoredValue } from './fields.ts';
import type { Input, Parameters } from './operation.ts';

/** The parsed members of a JSON object: valid values, null where a member is null, and all errors. */
export interface ReadMembers {
  readonly input: Input;
  readonly errors: readonly ErrorDetail[];
}

/**
 * Parses the members of a JSON object for calls of version 2. Undeclared members and empty texts are errors. Collects
 * all errors, not only the first.
 * @param within the path of the object in the body, followed by a dot; empty for the body itself.
 * @source activity 17.2
 */
export function readMembers(body: unknown, declared: Parameters, within = ''): ReadMembers {
  if (!isObject(body)) {
    const path = within === '' ? '$' : `$.${within.slice(0, -1)}`;
    return { input: {}, errors: [{ problem: 'MEMBER_NO_OBJECT', words: { path } }] };
  }
  const members = body as Readonly<Record<string, RawValue>>;
  const input: Record<string, StoredValue | null> = {};
  const errors: ErrorDetail[] = [];
  for (const name of Object.keys(members)) {
    if (!Object.hasOwn(declared, name)) {
      const known = Object.keys(declared).join(', ');
      errors.push({ problem: 'MEMBER_UNKNOWN', parameter: within + name, words: { known, ...rawOf(members[name]!) } });
    }
  }
  for (const [name, field] of Object.entries(declared)) {
    const parameter = within + name;
    const raw = Object.hasOwn(members, name) ? members[name]! : null;
    if (raw === null) {
      if (field.isRequired) errors.push({ problem: 'MEMBER_MISSING', parameter });
      else if (Object.hasOwn(members, name)) input[name] = null;
      continue;
    }
    const value = raw === '' ? ({ problem: 'TEXT_EMPTY', parameter } as const) : field.kind.read(raw, parameter);
    if (isErrorDetail(value)) {
      const found = raw === '' ? [value] : (field.kind.errors?.(raw, parameter) ?? [value]);
      errors.push(...found.map((error) => ({ ...error, words: { ...rawOf(raw), ...error.words } })));
    } else input[name] = value;
  }
  return { input, errors };
}

/** The received value as quoted in messages, truncated. */
function rawOf(raw: RawValue): { readonly raw: string } {
  const text = quoted(raw);
  return { raw: text.length > RAW_MAX ? `${text.slice(0, RAW_MAX)}...` : text };
}

const RAW_MAX = 200;
