import { integer, oneOf, text } from '../../../contract/declare/fields.ts';
import {
  type Change,
  type Fields,
  type ResourceSpec,
  type RowOf,
  resource,
} from '../../../contract/declare/resource.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { mediaKey } from '../media/media-key.ts';
import { cardFormatDefaults, DELETED_CARD_MEMBERS } from './card-format-defaults.ts';
import { isVideoKey } from './card-types.ts';
import { cardUri } from './card-uri.ts';
import { checkMediaRequirements, MEDIA_REQUIREMENT_PROBLEMS, RATIOS } from './media-requirements.ts';
import { pollComputedFields } from './poll-computed-fields.ts';

const choice = () => text({ max: 25 });

const fields = {
  name: text({ max: 80 }).required().sortable().describe('Shown to those who choose among cards.'),
  card_uri: cardUri().readOnly().required().describe('How posts name the card.'),
  card_type: oneOf('TEXT_POLLS', 'IMAGE_POLLS', 'VIDEO_POLLS')
    .readOnly()
    .required()
    .describe('Follows from the media.'),
  first_choice: choice().required().describe('What can be chosen.'),
  second_choice: choice().required().describe('What can be chosen.'),
  third_choice: choice().describe('What can be chosen.'),
  fourth_choice: choice().describe('What can be chosen; only with a third choice.'),
  duration_in_minutes: integer({ min: 5, max: 10_080 })
    .required()
    .describe('How long it is open, from its creation on.'),
  media_key: mediaKey().hidden().describe('An image of ratio 1.91:1 or a video of ratio 16:9.'),
} satisfies Fields;

/** A stored poll. */
export type PollCard = RowOf<typeof fields>;

/**
 * Polls: a question that a post asks, open for a time that begins when the card is made.
 * @source advertising: Poll cards; creatives 6
 */
export const pollCards = resource({
  ...cardFormatDefaults,
  name: 'poll_card',
  plural: 'poll_cards',
  label: 'Poll card',
  path: 'cards/poll',
  description: 'A question that a post asks, open for a time.',
  operations: ['list', 'get', 'create', 'remove'],
  echoes: { list: { card_type: 'poll' }, get: { card_type: 'poll' }, remove: { card_type: 'poll' } },
  fields,
  checkInput: choicesHaveNoGaps,
  derive({ media_key: key }): Partial<PollCard> {
    return { card_type: key === null ? 'TEXT_POLLS' : isVideoKey(key) ? 'VIDEO_POLLS' : 'IMAGE_POLLS' };
  },
  rules: [mediaIsAvailable, mediaIsSuitable],
  problems: ['INCLUSIVE_PARAMETERS', 'FEATURE_NOT_AVAILABLE', ...MEDIA_REQUIREMENT_PROBLEMS],
  computed: pollComputedFields,
  hardDeletion: { shows: [...DELETED_CARD_MEMBERS, 'start_time'] },
});

type Input = Parameters<NonNullable<ResourceSpec<typeof fields>['checkInput']>>[0];

/** Without a first or a second choice these are missing anyhow. @source creatives 6 */
function choicesHaveNoGaps({ input, named }: Input): readonly ErrorDetail[] {
  const has = (name: string): boolean => named.has(name) && input[name] !== null;
  const [a, b] = ['fourth_choice', 'third_choice'];
  return has(a!) && !has(b!) ? [{ problem: 'INCLUSIVE_PARAMETERS', parameter: b!, words: { a: a!, b: b! } }] : [];
}

const FEATURE = 'PROMOTED_MEDIA_POLLS';

async function mediaIsAvailable({ after, account, tx }: Change<PollCard>): Promise<ErrorDetail | undefined> {
  if (after.media_key === null || (await tx.accountMembers.listFeatures(account!.id)).includes(FEATURE))
    return undefined;
  return {
    problem: 'FEATURE_NOT_AVAILABLE',
    parameter: 'media_key',
    words: { feature: FEATURE, account: account!.id },
  };
}

async function mediaIsSuitable(change: Change<PollCard>): Promise<readonly ErrorDetail[]> {
  const key = change.after.media_key;
  if (key === null) return [];
  const shape = { image: { ratios: [RATIOS.wide] }, video: { ratios: [RATIOS.film] } };
  return checkMediaRequirements(change, [{ parameter: 'media_key', key, types: ['IMAGE', 'VIDEO'], ...shape }]);
}
