import { integer, oneOf, text } from '../../../contract/declare/fields.ts';
import { type Fields, type RequestRules, type RowOf, resource } from '../../../contract/declare/resource.ts';
import type { Change } from '../../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { mediaKey } from '../media/media-key.ts';
import { cardFormatDefaults, DELETED_CARD_MEMBERS } from './card-format-defaults.ts';
import { isVideoKey } from './card-types.ts';
import { cardUri } from './card-uri.ts';
import { checkMediaRequirements, MEDIA_REQUIREMENT_PROBLEMS, RATIOS } from './media-requirements.ts';
import { pollComputedFields } from './poll-computed-fields.ts';

const choice = () => text({ max: 25 });

const fields = {
  name: text({ max: 80 }).required().sortable().describe('Display name.'),
  card_uri: cardUri().readOnly().required().describe('URI that posts refer to.'),
  card_type: oneOf('TEXT_POLLS', 'IMAGE_POLLS', 'VIDEO_POLLS')
    .readOnly()
    .required()
    .describe('Follows from the media.'),
  first_choice: choice().required().describe('First choice.'),
  second_choice: choice().required().describe('Second choice.'),
  third_choice: choice().describe('Third choice.'),
  fourth_choice: choice().describe('Fourth choice; requires a third one.'),
  duration_in_minutes: integer({ min: 5, max: 10_080 })
    .required()
    .describe('Minutes from creation until the poll closes.'),
  media_key: mediaKey().hidden().describe('Image of aspect ratio 1.91:1, or video of 16:9.'),
} satisfies Fields;

/** A stored poll. */
export type PollCard = RowOf<typeof fields>;

/**
 * Poll cards: choices below a post, open for voting for some minutes from their creation.
 * @source advertising 12; creatives 6
 */
export const pollCards = resource({
  ...cardFormatDefaults,
  name: 'poll_card',
  plural: 'poll_cards',
  label: 'Poll card',
  path: 'cards/poll',
  description: 'A poll below a post, open for voting for a limited time.',
  operations: ['list', 'get', 'create', 'remove'],
  requests: {
    echoes: { list: { card_type: 'poll' }, get: { card_type: 'poll' }, remove: { card_type: 'poll' } },
    validate: choicesHaveNoGaps,
  },
  fields,
  derive({ media_key: key }): Partial<PollCard> {
    return { card_type: key === null ? 'TEXT_POLLS' : isVideoKey(key) ? 'VIDEO_POLLS' : 'IMAGE_POLLS' };
  },
  rules: [mediaIsAvailable, mediaIsSuitable],
  problems: ['INCLUSIVE_PARAMETERS', 'FEATURE_NOT_AVAILABLE', ...MEDIA_REQUIREMENT_PROBLEMS],
  computed: pollComputedFields,
  deletion: { hard: { fields: [...DELETED_CARD_MEMBERS, 'start_time'] } },
});

type Input = Parameters<NonNullable<RequestRules['validate']>>[0];

/** A fourth choice requires a third; the first two are required anyway. @source creatives 6 */
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
