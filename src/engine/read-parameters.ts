import { type Field, isErrorDetail, type RawValue, type StoredValue } from '../contract/declare/fields.ts';
import type { Input, Parameters } from '../contract/declare/operation.ts';
import { type ErrorDetail, Problem } from '../contract/problems/problems.ts';

/** Parameters as received, by name; more than one value when a name was repeated. */
export type RawParameters = ReadonlyMap<string, readonly RawValue[]>;

/** The result of parsing parameters: the valid values, and all errors. */
export interface ReadParameters {
  readonly input: Input;
  readonly errors: readonly ErrorDetail[];
}

/**
 * Parses all declared parameters and collects all errors, not only the first. Undeclared names are ignored. Where empty
 * values unset, an optional parameter with an empty value is null; elsewhere an empty value is an error like any other
 * invalid value.
 * @source campaigns 1.4 and 2.1; decision 27; decision 28; decision 29
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
 * An empty required parameter is missing; an update that empties a mandatory attribute is invalid. An empty list has
 * too few items.
 * @source creatives 1.3; campaigns 1.4; decision 26; decision 584
 */
function emptyMandatory(parameter: Field, name: string): ErrorDetail {
  const isMissing = parameter.isRequired && parameter.kind.name !== 'list' && !parameter.kind.readsEmpty;
  if (isMissing) return { problem: 'MISSING_PARAMETER', parameter: name };
  if (parameter.kind.name === 'text' || parameter.kind.name === 'id') return { problem: 'TEXT_EMPTY', parameter: name };
  const error = parameter.kind.read('', name);
  return isErrorDetail(error) ? error : { problem: 'TEXT_EMPTY', parameter: name };
}

/** Throws all errors together, if there are any. */
export function throwErrors(errors: readonly ErrorDetail[]): void {
  if (errors.length > 0) throw new Problem(errors);
}
