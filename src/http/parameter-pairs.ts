import { decode } from '../base/percent.ts';
import type { RawValue } from '../contract/declare/fields.ts';
import { problem } from '../contract/problems/problems.ts';

/**
 * Adds the `name=value` pairs of a query or form body to lists by name; protocol parameters are omitted.
 * @source decision 29
 */
export function parsePairs(source: string, part: 'query' | 'body', into: Map<string, readonly RawValue[]>): void {
  if (source === '') return;
  const own = new Map<string, RawValue[]>();
  for (const pair of source.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals), true);
    const value = decode(equals < 0 ? '' : pair.slice(equals + 1), true);
    // Such a pair cannot have been signed, so no request with a valid signature gets here.
    if (name === undefined || value === undefined) throw problem('CREDENTIAL_UNUSABLE', {}, `undecodable ${part}`);
    if (name.startsWith('oauth_')) continue;
    const values = own.get(name);
    if (values) values.push(value);
    else own.set(name, [value]);
  }
  // A name in both places takes its values from the body.
  for (const [name, values] of own) into.set(name, values);
}
