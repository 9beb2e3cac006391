/** What a line item aims at, and how it may be bid for and paid. */
export interface Objective {
  readonly strategies: readonly BidStrategy[];
  /** The strategy when a bid is given and no strategy. */
  readonly strategyWithBid: BidStrategy;
  /** The first goal is the default; for each, how it can be paid, the default first. */
  readonly goals: Readonly<Partial<Record<Goal, readonly PayBy[]>>>;
  /** How often one person may be reached can be limited. */
  readonly allowsFrequencyCap?: true;
  /** An application in a store must be named. */
  readonly requiresApp?: true;
}

/** The strategies of bidding. */
export const BID_STRATEGIES = ['AUTO', 'MAX', 'TARGET'] as const;
/** How bids are made. */
export type BidStrategy = (typeof BID_STRATEGIES)[number];

/** What bids can be optimized for. @source campaigns 9.1 */
export const GOALS = [
  'APP_CLICKS',
  'APP_INSTALLS',
  'APP_PURCHASES',
  'ENGAGEMENT',
  'FOLLOWERS',
  'LINK_CLICKS',
  'MAX_REACH',
  'PREROLL',
  'PREROLL_STARTS',
  'REACH_WITH_ENGAGEMENT',
  'SITE_VISITS',
  'VIDEO_VIEW',
  'VIEW_3S_100PCT',
  'VIEW_6S',
  'VIEW_15S',
  'WEBSITE_CONVERSIONS',
] as const;
/** What bids are optimized for. */
export type Goal = (typeof GOALS)[number];

/** What can be paid for. @source campaigns 9.1 */
export const PAY_BY = [
  'APP_CLICK',
  'APP_INSTALL',
  'ENGAGEMENT',
  'FOLLOW',
  'IMPRESSION',
  'LINK_CLICK',
  'VIEW',
  'VIEW_3S_100PCT',
] as const;
/** What is paid for. */
export type PayBy = (typeof PAY_BY)[number];

const ANY = ['AUTO', 'MAX', 'TARGET'] as const;
const NO_TARGET = ['AUTO', 'MAX'] as const;
const NO_MAX = ['AUTO', 'TARGET'] as const;

/** The objectives, and what each allows. @source campaigns 9.2 and 9.3 */
export const OBJECTIVES = {
  APP_ENGAGEMENTS: {
    strategies: ANY,
    strategyWithBid: 'MAX',
    goals: { APP_CLICKS: ['APP_CLICK'], APP_INSTALLS: ['IMPRESSION', 'APP_CLICK'] },
    requiresApp: true,
  },
  APP_INSTALLS: {
    strategies: ANY,
    strategyWithBid: 'MAX',
    goals: {
      APP_CLICKS: ['APP_CLICK'],
      APP_INSTALLS: ['IMPRESSION', 'APP_CLICK'],
      APP_PURCHASES: ['IMPRESSION'],
    },
    requiresApp: true,
  },
  ENGAGEMENTS: {
    strategies: NO_TARGET,
    strategyWithBid: 'MAX',
    goals: { ENGAGEMENT: ['ENGAGEMENT'] },
    allowsFrequencyCap: true,
  },
  FOLLOWERS: { strategies: NO_MAX, strategyWithBid: 'TARGET', goals: { FOLLOWERS: ['FOLLOW'] } },
  PREROLL_VIEWS: {
    strategies: NO_TARGET,
    strategyWithBid: 'MAX',
    goals: {
      PREROLL: ['VIEW_3S_100PCT'],
      PREROLL_STARTS: ['IMPRESSION'],
      VIDEO_VIEW: ['VIEW_3S_100PCT'],
      VIEW_3S_100PCT: ['VIEW_3S_100PCT'],
      VIEW_6S: ['VIEW_3S_100PCT'],
      VIEW_15S: ['VIEW_3S_100PCT'],
    },
    allowsFrequencyCap: true,
  },
  REACH: {
    strategies: NO_MAX,
    strategyWithBid: 'TARGET',
    goals: { MAX_REACH: ['IMPRESSION'], REACH_WITH_ENGAGEMENT: ['IMPRESSION'] },
    allowsFrequencyCap: true,
  },
  VIDEO_VIEWS: {
    strategies: NO_TARGET,
    strategyWithBid: 'MAX',
    goals: {
      VIDEO_VIEW: ['VIEW'],
      VIEW_3S_100PCT: ['VIEW_3S_100PCT'],
      VIEW_6S: ['IMPRESSION'],
      VIEW_15S: ['IMPRESSION'],
    },
    allowsFrequencyCap: true,
  },
  WEBSITE_CLICKS: {
    strategies: ANY,
    strategyWithBid: 'MAX',
    goals: {
      LINK_CLICKS: ['IMPRESSION', 'LINK_CLICK'],
      SITE_VISITS: ['IMPRESSION'],
      WEBSITE_CONVERSIONS: ['IMPRESSION'],
    },
  },
} as const satisfies Record<string, Objective>;

/** The name of an objective. */
export type ObjectiveName = keyof typeof OBJECTIVES;
/** The names of the objectives. */
export const OBJECTIVE_NAMES = Object.keys(OBJECTIVES) as ObjectiveName[];

/** What an objective allows. */
export function objectiveOf(name: string | null): Objective {
  return OBJECTIVES[name as ObjectiveName];
}

/** How a goal can be paid, the default first. Who sets a target for link clicks pays for them. @source campaigns 9.3 */
export function paymentOptions(
  objective: string | null,
  goal: string | null,
  strategy: string | null,
): readonly PayBy[] {
  if (goal === 'LINK_CLICKS' && strategy === 'TARGET') return ['LINK_CLICK'];
  return objectiveOf(objective).goals[goal as Goal] ?? [];
}
