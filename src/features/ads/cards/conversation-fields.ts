import { Type } from '../../../base/json-schema.ts';
import { lengthOf } from '../../../base/text.ts';
import { type Field, field, quoted, text } from '../../../contract/declare/fields.ts';
import type { Fields, RequestRules, Verb } from '../../../contract/declare/resource.ts';
import type { Change } from '../../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { cardUri } from './card-uri.ts';
import { webUrl } from './web-url.ts';

const MAX = 20;
const SHAPE = '[\\p{L}\\p{M}\\p{N}_]+';
const HASHTAG = new RegExp(`^#${SHAPE}$`, 'u');

/** A hashtag of at most 20 characters; a missing leading `#` is added. @source creatives 7; decision 225 */
function hashtag(): Field<string> {
  return field<string>({
    name: 'hashtag',
    column: 'text',
    schema: Type.String({ pattern: `^#?${SHAPE}$`, maxLength: MAX + 1 }),
    problems: ['NOT_A_HASHTAG', 'TEXT_TOO_LONG'],
    toJson: (stored) => JSON.stringify(stored),
    read(raw, parameter): string | ErrorDetail {
      const value = typeof raw === 'string' ? `#${raw.replace(/^#/, '')}` : '';
      const length = lengthOf(value) - 1;
      if (length > MAX) return { problem: 'TEXT_TOO_LONG', parameter, words: { max: MAX, length } };
      return HASHTAG.test(value) ? value : { problem: 'NOT_A_HASHTAG', parameter, words: { raw: quoted(raw) } };
    },
  });
}

const ORDINALS = ['first', 'second', 'third', 'fourth'] as const;

const proposedPost = () => text({ max: 280 });

/** Fields of both conversation card formats. @source creatives 7 */
export const conversationFields = {
  name: text({ max: 80 }).required().sortable().describe('Display name.'),
  title: text({ max: 23 }).describe('Title above the hashtags; required with a single hashtag.'),
  first_cta: hashtag().required().describe('First hashtag to choose.'),
  first_cta_post: proposedPost().required().describe('Post proposed for this hashtag.'),
  second_cta: hashtag().describe('Second hashtag; required without a title.'),
  second_cta_post: proposedPost().describe('Post proposed for this hashtag.'),
  third_cta: hashtag().describe('Third hashtag; requires a second one.'),
  third_cta_post: proposedPost().describe('Post proposed for this hashtag.'),
  fourth_cta: hashtag().describe('Fourth hashtag; requires a third one.'),
  fourth_cta_post: proposedPost().describe('Post proposed for this hashtag.'),
  thank_you_text: text({ max: 23 }).required().describe('Shown after posting.'),
  thank_you_url: webUrl({ max: 2000 }).describe('Link shown after posting.'),
} satisfies Fields;

/** The card URI of a conversation card. */
export const conversationCardUri = cardUri().readOnly().required().describe('URI that posts refer to.');

/** The card type echoed in replies: lower case for reads and deletes, upper case for writes. @source creatives 1.1 */
export function cardTypeEcho(type: string): Partial<Record<Verb, Record<string, string>>> {
  const [small, capital] = [{ card_type: type.toLowerCase() }, { card_type: type }];
  return { list: small, get: small, remove: small, create: capital, update: capital };
}

type Input = Parameters<NonNullable<RequestRules['validate']>>[0];

/** Missing parameters of a new card. Updates are checked against the stored row by `missingOnUpdate`. */
export function missingOnCreate({ verb, input, named }: Input): readonly ErrorDetail[] {
  return verb === 'create' ? missing((name) => named.has(name) && input[name] !== null) : [];
}

/** Missing values of an updated card. */
export function missingOnUpdate({ verb, after }: Change<object>): readonly ErrorDetail[] {
  const row = after as Readonly<Record<string, unknown>>;
  return verb === 'update' ? missing((name) => row[name] !== null) : [];
}

/** Each hashtag needs a proposed post, hashtags have no gaps, and a single one needs a title. @source creatives 7 */
function missing(has: (name: string) => boolean): ErrorDetail[] {
  const errors: ErrorDetail[] = [];
  const needs = (a: string, b: string): void => {
    if (has(a) && !has(b)) errors.push({ problem: 'INCLUSIVE_PARAMETERS', parameter: b, words: { a, b } });
  };
  for (const ordinal of ORDINALS.slice(1)) {
    needs(`${ordinal}_cta`, `${ordinal}_cta_post`);
    needs(`${ordinal}_cta_post`, `${ordinal}_cta`);
  }
  needs('third_cta', 'second_cta');
  needs('fourth_cta', 'third_cta');
  if (!has('title') && !has('second_cta')) errors.push({ problem: 'MISSING_PARAMETER', parameter: 'title' });
  return errors;
}
