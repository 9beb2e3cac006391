import { jsonText } from '../base/text.ts';
import type { RawValue } from '../contract/declare/fields.ts';
import type { Input, Parameters } from '../contract/declare/operation.ts';
import type { RawParameters } from './read-parameters.ts';

/**
 * The echo of a request: path parameters and other members as received, then the input as the caller wrote it: only
 * numbers, booleans and lists are typed. Defaults are not echoed.
 * @source advertising 1; campaigns 1.5; decision 580
 */
export function echo(
  plain: Readonly<Record<string, RawValue>>,
  declared: Parameters,
  input: Input,
  received?: RawParameters,
): string {
  let text = '';
  for (const name in plain) {
    const value = plain[name]!;
    text += `,"${name}":${typeof value === 'string' ? jsonText(value) : JSON.stringify(value)}`;
  }
  for (const name in input) {
    const value = input[name];
    const raw = received?.get(name)?.[0];
    if (value === null) text += `,"${name}":${raw === '' ? '""' : 'null'}`;
    else text += `,"${name}":${asReceived(declared[name]!.kind.toJson(value as never), raw)}`;
  }
  return `{${text.slice(1)}}`;
}

/** A value as received; `shown` is the parsed value as replies show it. */
function asReceived(shown: string, raw: RawValue | undefined): string {
  if (typeof raw !== 'string' || raw === '') return shown;
  if (shown.startsWith('"')) return jsonText(raw);
  if (!shown.startsWith('[')) return shown;
  const items = raw.split(',').map((item) => item.trim());
  return JSON.stringify([...new Set(items.filter((item) => item !== ''))]);
}
