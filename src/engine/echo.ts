import { jsonText } from '../base/text.ts';
import type { Raw } from '../contract/fields.ts';
import type { Given, Parameters } from '../contract/operation.ts';

/**
 * The echo of a request: path parameters, and whatever else goes back as it came, then what the caller supplied,
 * typed, as the members of a JSON object. Defaults are not echoed.
 * @source campaigns 1.5
 */
export function echo(plain: Readonly<Record<string, Raw>>, declared: Parameters, given: Given): string {
  let text = '';
  for (const name in plain) {
    const value = plain[name]!;
    text += `,"${name}":${typeof value === 'string' ? jsonText(value) : JSON.stringify(value)}`;
  }
  for (const name in given) {
    const value = given[name];
    const shown = value === null ? 'null' : declared[name]!.kind.present(value as never);
    text += `,"${name}":${shown}`;
  }
  return `{${text.slice(1)}}`;
}
