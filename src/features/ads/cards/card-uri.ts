import { Type } from '../../../base/json-schema.ts';
import { type Field, field, quoted } from '../../../contract/declare/fields.ts';

/** Returns the card URI of a card number. */
export function cardUriOf(number: string): string {
  return `card://${number}`;
}

/** Returns the number in a card URI; undefined if malformed. */
export function parseCardUri(uri: string): string | undefined {
  return /^card:\/\/(\d{1,19})$/.exec(uri)?.[1];
}

/** A card URI, `card://<number>`, case-insensitive. @source decision 221 */
export function cardUri(): Field<string> {
  return field<string>({
    name: 'card uri',
    column: 'text',
    schema: Type.String({ pattern: '^card://\\d{1,19}$' }),
    problems: ['NOT_A_CARD_URI'],
    toJson: (stored) => `"${stored}"`,
    read(raw, parameter) {
      const value = typeof raw === 'string' ? raw.trim().toLowerCase() : '';
      return parseCardUri(value) ? value : { problem: 'NOT_A_CARD_URI', parameter, words: { raw: quoted(raw) } };
    },
  });
}
