import { type Field, isErrorDetail, type RawValue, type StoredValue } from '../contract/declare/fields.ts';
import type { Input, Parameters } from '../contract/declare/operation.ts';
import { type ErrorDetail, Problem } from '../contract/problems/problems.ts';

/** Parameters as received, by name; more than one value when a name was repeated. */
export type RawParameters = ReadonlyMap<string, readonly RawValue[]>;

/** What reading parameters came to: the good values, and everything wrong with the others. */
export interface ReadParameters {
  readonly input: Input;
  readonly errors: readonly ErrorDetail[];
}

/**
 * Reads every declared parameter and finds every fault, not only the first. Names that are not declared are ignored.
 * Where an empty value un-sets, an optional parameter that is given empty reads as null; elsewhere there is nothing to
 * un-set, and an empty value is as wrong as any other that cannot be read.
 * @source campaigns 1.4 and 2.1
 */
export function readParameters(
  declared: Parameters,
  raw: RawParameters,
  { empty }: { readonly empty: 'unsets' | 'is refused' } = { empty: 'unsets' },
): ReadParameters {
  const input: Record<string, StoredValue | null> = {};
  const errors: ErrorDetail[] = [];
  for (const name in declared) {
    const values = raw.get(name);
    const parameter = declared[name]!;
    if (values === undefined) {
      if (parameter.isRequired) errors.push({ problem: 'MISSING_PARAMETER', parameter: name });
      continue;
    }
    if (values.length > 1) {
      errors.push({ problem: 'REPEATED_PARAMETER', parameter: name, words: { count: values.length } });
      continue;
    }
    const value = readValue(parameter, name, values[0]!, empty === 'unsets');
    if (isErrorDetail(value)) errors.push(...(parameter.kind.errors?.(values[0]!, name) ?? [value]));
    else input[name] = value;
  }
  return { input, errors };
}

function readValue(parameter: Field, name: string, value: RawValue, unsets: boolean): StoredValue | null | ErrorDetail {
  const isEmpty = value === '' || value === null;
  if (!isEmpty || parameter.writable === 'refused') return parameter.kind.read(value, name);
  if (unsets && parameter.emptyValue !== undefined) return parameter.emptyValue;
  return (parameter.isNullable || parameter.isDerived) && unsets ? null : emptyMandatory(parameter, name);
}

/**
 * What is required and given empty is missing; what an update empties and may not be empty is invalid. A list of nothing has
 * too few items.
 * @source creatives 1.3; campaigns 1.4
 */
function emptyMandatory(parameter: Field, name: string): ErrorDetail {
  if (parameter.isRequired && parameter.kind.name !== 'list') return { problem: 'MISSING_PARAMETER', parameter: name };
  if (parameter.kind.name === 'text' || parameter.kind.name === 'id') return { problem: 'TEXT_EMPTY', parameter: name };
  const error = parameter.kind.read('', name);
  return isErrorDetail(error) ? error : { problem: 'TEXT_EMPTY', parameter: name };
}

/** Throws all faults together, if there are any. */
export function refuse(errors: readonly ErrorDetail[]): void {
  if (errors.length > 0) throw new Problem(errors);
}
