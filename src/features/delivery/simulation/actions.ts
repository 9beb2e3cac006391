import type { ObjectiveName, PayBy } from '../../ads/line-items/objectives.ts';
import type { CreativeKind } from '../booked-creatives.ts';
import type { MainAction } from './rates.ts';

/** Everything that people do with an ad, in disjoint kinds: each engagement is one of them. */
export const ACTIONS = [
  'url_clicks',
  'app_clicks',
  'details',
  'likes',
  'reposts',
  'replies',
  'follows',
  'card_engagements',
  'poll_card_vote',
  'carousel_swipes',
  'plays',
] as const;
/** A kind of engagement. */
export type Action = (typeof ACTIONS)[number];

/** Those that are clicks. `details` opens the post or its media, `plays` starts a video. */
export const CLICKS: readonly Action[] = [
  ...(['url_clicks', 'app_clicks', 'details', 'likes', 'card_engagements', 'poll_card_vote', 'plays'] as const),
];

type Weights = Readonly<Partial<Record<Action, number>>>;

const POST: Weights = { likes: 18, reposts: 4, replies: 3, follows: 1 };

/** How engagements divide by what is shown. */
const BY_KIND: Readonly<Record<CreativeKind, Weights>> = {
  text: { ...POST, details: 60, url_clicks: 14 },
  image: { ...POST, details: 66, url_clicks: 8 },
  video: { ...POST, details: 20, plays: 50, url_clicks: 4 },
  website_card: { ...POST, url_clicks: 58, details: 16 },
  app_card: { ...POST, app_clicks: 54, details: 20 },
  carousel: { ...POST, url_clicks: 34, details: 12, carousel_swipes: 28 },
  poll: { ...POST, poll_card_vote: 54, details: 20 },
  conversation: { ...POST, card_engagements: 44, details: 30 },
  account: { follows: 70, details: 30 },
  preroll: { url_clicks: 30, plays: 70 },
  banner: { url_clicks: 100 },
};

/** How the engagements of a creative of this kind divide: a weight for each action, in their order. */
export function actionWeights(kind: CreativeKind): readonly number[] {
  return WEIGHTS[kind];
}

const WEIGHTS = Object.fromEntries(
  Object.entries(BY_KIND).map(([kind, weights]) => [kind, ACTIONS.map((action) => weights[action] ?? 0)]),
) as unknown as Readonly<Record<CreativeKind, readonly number[]>>;

/** The action that an objective is about; undefined when it is about views, reach or engagements of any kind. */
export function mainAction(objective: ObjectiveName): MainAction | undefined {
  if (objective === 'WEBSITE_CLICKS') return 'url_clicks';
  if (objective === 'APP_INSTALLS' || objective === 'APP_ENGAGEMENTS') return 'app_clicks';
  return objective === 'FOLLOWERS' ? 'follows' : undefined;
}

/** Whether the main action is what is billed. */
export function billsMainAction(payBy: PayBy): boolean {
  return payBy === 'LINK_CLICK' || payBy === 'APP_CLICK' || payBy === 'FOLLOW';
}
