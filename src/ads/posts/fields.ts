import Type from 'typebox';
import { jsonText } from '../../base/text.ts';
import { boolean, type Field, field, id, listOf, quoted, text } from '../../contract/fields.ts';
import type { Fields } from '../../contract/resource.ts';
import { authorParameter } from './authors.ts';
import { postText } from './text.ts';

/** More than any post takes: what is too much is told in the words of media. */
const KEYS_MAX = 100;

/** The keys of media, none when nothing is given. */
export function mediaKeys(): Field<string> {
  return listOf(text({ max: 64 }), { min: 0, max: KEYS_MAX }).says('Up to 4 images, 1 GIF or 1 video.');
}

/** The address of a card. */
export function cardUri(): Field<string> {
  return field<string>({
    name: 'card uri',
    column: 'text',
    schema: Type.String({ pattern: '^card://\\d{1,19}$' }),
    raises: ['NOT_A_CARD_URI'],
    present: jsonText,
    read: (raw, parameter) =>
      typeof raw === 'string' && /^card:\/\/\d{1,19}$/.test(raw)
        ? raw
        : { problem: 'NOT_A_CARD_URI', parameter, words: { raw: quoted(raw) } },
  }).says('A card of the account, of any family.');
}

/** What drafts and scheduled posts say, in the order in which it is shown. */
export const contentFields = {
  name: text({ max: 80 }).says('For those who manage posts.'),
  text: postText().says('Up to 280 characters, of which an address is 23. Needed unless there is media.'),
  user_id: id().required().readOnly().says('The author.'),
  nullcast: boolean().defaults(1).says('Shown only where it is promoted.'),
} satisfies Fields;

/** What goes with them. */
export const attachedFields = {
  card_uri: cardUri(),
  media_keys: mediaKeys(),
  name_folded: text({ max: 1000 }).readOnly().unshown(),
  starts_with_mention: boolean().readOnly().defaults(0).unshown(),
} satisfies Fields;

/** The parameter that says for whom a draft or a scheduled post is made. */
export const AUTHOR = {
  as_user_id: authorParameter('The author; the user whom the account advertises when not given.'),
};
