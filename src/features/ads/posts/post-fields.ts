import { addressesIn } from '../../../base/entities.ts';
import { Type } from '../../../base/json-schema.ts';
import { codePointLength, isLegalText, jsonText } from '../../../base/text.ts';
import { boolean, type Field, field, id, listOf, text } from '../../../contract/declare/fields.ts';
import { type Fields, LONG_IDS_FROM, type ResourceSpec } from '../../../contract/declare/resource.ts';
import { CREATIVE_ROLES } from '../../../contract/declare/roles.ts';
import { cardUri } from '../cards/card-uri.ts';
import { authorFilter, authorParameter } from './authors.ts';

/** Maximum length of a post in characters. */
const TEXT_MAX = 280;
/** The counted length of a URL. */
const ADDRESS_LENGTH = 23;
/** Above the maximum of posts, so that excess keys get the error for media. */
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

/** Shared declarations of draft and scheduled posts. */
export const unpublishedDefaults = {
  scope: 'account',
  operations: ['list', 'get', 'create', 'update', 'remove'],
  roles: CREATIVE_ROLES,
  notFound: 'NOT_FOUND',
  rate: 'account_reads_small',
  ids: { from: LONG_IDS_FROM, isLong: true, sequence: 'post' },
  requests: { createParameters: { as_user_id: authorParameter } },
  createProblems: ['NOT_PROMOTABLE'],
  list: {
    count: { preset: 100, max: 200 },
    without: ['ids', 'sort_by', 'with_deleted', 'with_total_count'],
    extraFilters: authorFilter,
    problems: ['NOT_PROMOTABLE'],
  },
} as const satisfies Partial<ResourceSpec<Fields>>;

/** Returns the length of a text in code points, with URLs counted as 23. @source creatives 10 */
export function countedLength(text: string): number {
  return addressesIn(text).reduce(
    (sum, address) => sum + ADDRESS_LENGTH - codePointLength(address),
    codePointLength(text),
  );
}

/** The text of a post: up to 280 characters by `countedLength`, line breaks allowed. @source decision 231 */
function postText(): Field<string> {
  return field<string>({
    name: 'post text',
    column: 'text',
    schema: Type.String({ minLength: 1 }),
    problems: ['NOT_TEXT', 'TEXT_TOO_LONG', 'ILLEGAL_CHARACTERS'],
    toJson: jsonText,
    read(raw, parameter) {
      if (typeof raw !== 'string') return { problem: 'NOT_TEXT', parameter };
      const value = raw.replaceAll('\r\n', '\n');
      const length = countedLength(value);
      if (length > TEXT_MAX) return { problem: 'TEXT_TOO_LONG', parameter, words: { max: TEXT_MAX, length } };
      return isLegalText(value.replaceAll('\n', ' ')) ? value : { problem: 'ILLEGAL_CHARACTERS', parameter };
    },
  });
}
