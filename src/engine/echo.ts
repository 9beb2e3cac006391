import { jsonText } from '../base/text.ts';
import type { Given, Parameters } from '../contract/operation.ts';

/**
 * The echo of a request: path parameters and what the caller supplied, typed, as the members of a JSON object.
 * Defaults are not echoed.
 * @source campaigns 1.5
 */
export function echo(path: Readonly<Record<string, string>>, declared: Parameters, given: Given): string {
  let text = '';
  for (const name in path) text += `,"${name}":${jsonText(path[name]!)}`;
  for (const name in given) {
    const value = given[name];
    const shown = value === null ? 'null' : declared[name]!.kind.present(value as never);
    text += `,"${name}":${shown}`;
  }
  return `{${text.slice(1)}}`;
}
