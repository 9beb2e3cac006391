import { boolean, type Field, id, listOf, text } from '../../../contract/declare/fields.ts';
import type { Fields } from '../../../contract/declare/resource.ts';
import { cardUri } from '../cards/card-uri.ts';
import { authorParameter } from './authors.ts';
import { postText } from './post-text.ts';

/** More than any post takes: what is too much is told in the words of media. */
const KEYS_MAX = 100;

/** The keys of media, none when nothing is given. */
export function mediaKeys(): Field<string> {
  return listOf(text({ max: 64 }), { min: 0, max: KEYS_MAX }).describe('Up to 4 images, 1 GIF or 1 video.');
}

/** What drafts and scheduled posts say, in the order in which it is shown. */
export const contentFields = {
  name: text({ max: 80 }).describe('For those who manage posts.'),
  text: postText().describe('Up to 280 characters, of which an address is 23. Needed unless there is media.'),
  user_id: id().required().readOnly().describe('The author.'),
  nullcast: boolean().defaults(1).describe('Shown only where it is promoted.'),
} satisfies Fields;

/** What goes with them. */
export const attachmentFields = {
  card_uri: cardUri().describe('A card of the account, of any family.'),
  media_keys: mediaKeys(),
  name_folded: text({ max: 1000 }).readOnly().hidden(),
  starts_with_mention: boolean().readOnly().defaults(0).hidden(),
} satisfies Fields;

/** The parameter that says for whom a draft or a scheduled post is made. */
export const authorParameters = {
  as_user_id: authorParameter('The author; the user whom the account advertises when not given.'),
};
