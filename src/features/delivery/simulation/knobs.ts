/** The courses of events that delivery can take. */
export const SCENARIOS = ['ordinary', 'flat', 'weekend_dip', 'outage', 'early_end'] as const;

/** A course of events. */
export interface Scenario {
  readonly name: (typeof SCENARIOS)[number];
  /** Of an outage: the hour of the day, from 0. */
  readonly hour?: number;
  /** Of an early end: the local date on which it began; budgets are spent by the end of the second day after it. */
  readonly from?: string;
}

/** The settings of the simulated delivery of an account. */
export interface Knobs {
  /** Replaces the seed of the account. */
  readonly seed?: string;
  /** How expensive the market is, 1 ordinarily. */
  readonly market_level: number;
  /** How often people do the billed action, 1 ordinarily. */
  readonly engagement_factor: number;
  readonly scenario: Scenario;
}

/** An account without knobs. */
export const ORDINARY: Knobs = { market_level: 1, engagement_factor: 1, scenario: { name: 'ordinary' } };

/** Reads stored knobs. */
export function readKnobs(text: string | null | undefined): Knobs {
  return text ? { ...ORDINARY, ...(JSON.parse(text) as Partial<Knobs>) } : ORDINARY;
}
