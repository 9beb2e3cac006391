import { text } from '../../../contract/declare/fields.ts';
import type { Change, Fields, ResourceSpec, Verb } from '../../../contract/declare/resource.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { cardUri } from './card-uri.ts';
import { hashtag } from './hashtag.ts';
import { webUrl } from './web-url.ts';

const ORDINALS = ['first', 'second', 'third', 'fourth'] as const;

const proposedPost = () => text({ max: 280 });

/** What conversation cards of both kinds begin with. @source creatives 7 */
export const conversationFields = {
  name: text({ max: 80 }).required().sortable().describe('Shown to those who choose among cards.'),
  title: text({ max: 23 }).describe('Shown above what can be chosen; needed where there is one hashtag only.'),
  first_cta: hashtag().required().describe('A hashtag that can be chosen.'),
  first_cta_post: proposedPost().required().describe('What is proposed to post when it is chosen.'),
  second_cta: hashtag().describe('Another hashtag; needed where there is no title.'),
  second_cta_post: proposedPost().describe('What is proposed to post when it is chosen.'),
  third_cta: hashtag().describe('Another hashtag; only with a second one.'),
  third_cta_post: proposedPost().describe('What is proposed to post when it is chosen.'),
  fourth_cta: hashtag().describe('Another hashtag; only with a third one.'),
  fourth_cta_post: proposedPost().describe('What is proposed to post when it is chosen.'),
  thank_you_text: text({ max: 23 }).required().describe('Shown to whoever has posted.'),
  thank_you_url: webUrl({ max: 2000 }).describe('Where whoever has posted is led.'),
} satisfies Fields;

/** The address of a conversation card. */
export const conversationCardUri = cardUri().readOnly().required().describe('How posts name the card.');

/** The echo of the type of a family, in small letters where nothing is written. @source creatives 1.1 */
export function cardTypeEcho(type: string): Partial<Record<Verb, Record<string, string>>> {
  const [small, capital] = [{ card_type: type.toLowerCase() }, { card_type: type }];
  return { list: small, get: small, remove: small, create: capital, update: capital };
}

type Input = Parameters<NonNullable<ResourceSpec<typeof conversationFields>['checkInput']>>[0];

/** What parameters of a new card lack. What a change lacks is only known beside what there is. */
export function missingOnCreate({ verb, input, named }: Input): readonly ErrorDetail[] {
  return verb === 'create' ? missing((name) => named.has(name) && input[name] !== null) : [];
}

/** What a changed card would lack. */
export function missingOnUpdate({ verb, after }: Change<object>): readonly ErrorDetail[] {
  const row = after as Readonly<Record<string, unknown>>;
  return verb === 'update' ? missing((name) => row[name] !== null) : [];
}

/** Hashtags go with what is proposed to post, follow each other, and a single one needs a title. @source creatives 7 */
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
