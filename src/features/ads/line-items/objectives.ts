/** The bidding options of an objective. */
interface Objective {
  readonly strategies: readonly BidStrategy[];
  /** Default bid strategy when a bid amount is set. */
  readonly strategyWithBid: BidStrategy;
  /** Billable events by goal; the first goal and the first event of each are the defaults. */
  readonly goals: Readonly<Partial<Record<Goal, readonly PayBy[]>>>;
  /** Frequency caps are supported. */
  readonly allowsFrequencyCap?: true;
  /** A mobile app must be set. */
  readonly requiresApp?: true;
}

/** Bid strategies. */
export const BID_STRATEGIES = ['AUTO', 'MAX', 'TARGET'] as const;
/** A bid strategy. */
type BidStrategy = (typeof BID_STRATEGIES)[number];

/** Optimization goals. @source campaigns 9.1 */
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
/** An optimization goal. */
export type Goal = (typeof GOALS)[number];

/** Billable events. @source campaigns 9.1 */
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
/** A billable event. */
export type PayBy = (typeof PAY_BY)[number];

const ANY = ['AUTO', 'MAX', 'TARGET'] as const;
const NO_TARGET = ['AUTO', 'MAX'] as const;
const NO_MAX = ['AUTO', 'TARGET'] as const;

/** The bidding options of every objective. @source campaigns 9.2 and 9.3 */
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

/** An objective. */
export type ObjectiveName = keyof typeof OBJECTIVES;
/** Every objective. */
export const OBJECTIVE_NAMES = Object.keys(OBJECTIVES) as ObjectiveName[];

/** Returns the bidding options of an existing objective. */
export function findObjective(name: string | null): Objective {
  return OBJECTIVES[name as ObjectiveName];
}

/**
 * Returns the billable events of a goal, default first. TARGET bids on link clicks are billed by click.
 * @source campaigns 9.3
 */
export function paymentOptions(
  objective: string | null,
  goal: string | null,
  strategy: string | null,
): readonly PayBy[] {
  if (goal === 'LINK_CLICKS' && strategy === 'TARGET') return ['LINK_CLICK'];
  return findObjective(objective).goals[goal as Goal] ?? [];
}
