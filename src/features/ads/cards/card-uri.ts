import Type from 'typebox';
import { type Field, field, quoted } from '../../../contract/declare/fields.ts';

/** The sequence of the numbers of cards, whichever family they are of. */
export const CARD_NUMBER_SEQUENCE = 'card';

/** The address under which posts name the card of a number. */
export function cardUriOf(number: string): string {
  return `card://${number}`;
}

/** The number in the address of a card; undefined when it is none. */
export function parseCardUri(uri: string): string | undefined {
  return /^card:\/\/(\d{1,19})$/.exec(uri)?.[1];
}

/** The address of a card, which the service gives; capitals are folded. */
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
