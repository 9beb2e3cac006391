import type { ObjectiveName, PayBy } from '../../ads/line-items/objectives.ts';
import type { CreativeKind } from '../booked-creatives.ts';
import { placeOf } from './counts.ts';
import type { MainAction } from './rates.ts';

/** The kinds of engagement; each engagement has exactly one. */
const ACTIONS = [
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
type Action = (typeof ACTIONS)[number];

/** Engagements that count as clicks. `details` opens the post or its media, `plays` starts a video. */
const CLICKS = ['url_clicks', 'app_clicks', 'details', 'likes', 'card_engagements', 'poll_card_vote', 'plays'];

/** Whether an action counts as a click, by action index. */
export const IS_CLICK: readonly boolean[] = ACTIONS.map((action) => CLICKS.includes(action));
/** The index of the metric by action index; -1 without one. */
export const ACTION_PLACES: readonly number[] = ACTIONS.map((action) =>
  action === 'details' || action === 'plays' ? -1 : placeOf(action),
);

type Weights = Readonly<Partial<Record<Action, number>>>;

const POST: Weights = { likes: 18, reposts: 4, replies: 3, follows: 1 };

/** Weights of engagements by kind of creative. */
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

/** The distribution of the engagements with a creative. */
export interface ActionMix {
  /** The main action of its objective; undefined if engagements of any kind are billed. */
  readonly main: { readonly action: MainAction; readonly place: number; readonly isClick: boolean } | undefined;
  /** The other actions: cumulative shares by action index, and the index of the last one; -1 if there is none. */
  readonly others: { readonly upTo: readonly number[]; readonly last: number };
}

/** Computes the distribution for a kind of creative. */
export function actionMix(kind: CreativeKind, objective: ObjectiveName, payBy: PayBy): ActionMix {
  const action = payBy === 'ENGAGEMENT' ? undefined : mainAction(objective);
  const weights = ACTIONS.map((each) => (each === action ? 0 : (BY_KIND[kind][each] ?? 0)));
  const sum = weights.reduce((all, weight) => all + weight, 0);
  let before = 0;
  const upTo = weights.map((weight) => {
    before += weight;
    return before / sum;
  });
  const at = action === undefined ? -1 : ACTIONS.indexOf(action);
  return {
    main: action && { action, place: ACTION_PLACES[at]!, isClick: IS_CLICK[at]! },
    others: { upTo, last: weights.findLastIndex((weight) => weight > 0) },
  };
}

/** The main action of an objective; undefined for views, reach and engagements of any kind. */
function mainAction(objective: ObjectiveName): MainAction | undefined {
  if (objective === 'WEBSITE_CLICKS') return 'url_clicks';
  if (objective === 'APP_INSTALLS' || objective === 'APP_ENGAGEMENTS') return 'app_clicks';
  return objective === 'FOLLOWERS' ? 'follows' : undefined;
}

/** Whether the main action is billed. */
export function billsMainAction(payBy: PayBy): boolean {
  return payBy === 'LINK_CLICK' || payBy === 'APP_CLICK' || payBy === 'FOLLOW';
}
