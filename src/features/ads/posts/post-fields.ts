import { boolean, type Field, id, listOf, text } from '../../../contract/declare/fields.ts';
import type { Fields } from '../../../contract/declare/resource.ts';
import { cardUri } from '../cards/card-uri.ts';
import { authorParameter } from './authors.ts';
import { postText } from './post-text.ts';

/** More than any post accepts, so that excess keys get the error for media. */
const KEYS_MAX = 100;

/** A list of media keys, empty by default. */
export function mediaKeys(): Field<string> {
  return listOf(text({ max: 64 }), { min: 0, max: KEYS_MAX }).describe('Up to 4 images, 1 GIF or 1 video.');
}

/** Text fields of draft and scheduled posts, in the order of replies. */
export const contentFields = {
  name: text({ max: 80 }).describe('Display name for managing posts.'),
  text: postText().describe('Up to 280 characters; URLs count as 23. Required without media.'),
  user_id: id().required().readOnly().describe('Author.'),
  nullcast: boolean().resetsTo(1).describe('Whether the post is promoted-only.'),
} satisfies Fields;

/** Card and media fields, and the columns that lists search. */
export const attachmentFields = {
  card_uri: cardUri().describe('Card URI of the account.'),
  media_keys: mediaKeys(),
  name_folded: text({ max: 1000 }).readOnly().hidden(),
  starts_with_mention: boolean().readOnly().defaults(0).hidden(),
} satisfies Fields;

/** The author parameter of draft and scheduled posts. */
export const authorParameters = {
  as_user_id: authorParameter('Author; default: the user whom the account advertises.'),
};
