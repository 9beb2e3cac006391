/** The scenarios of simulated delivery. */
export const SCENARIOS = ['ordinary', 'flat', 'weekend_dip', 'outage', 'early_end'] as const;

/** A scenario and its parameters. */
export interface Scenario {
  readonly name: (typeof SCENARIOS)[number];
  /** The hour of the day of an outage, from 0. */
  readonly hour?: number;
  /** The local start date of an early end; budgets are spent by the end of the second day after it. */
  readonly from?: string;
}

/** The simulation parameters of an account. */
export interface SimulationParameters {
  /** Overrides the seed of the account. */
  readonly seed?: string;
  /** Price level of the market; 1 by default. */
  readonly market_level: number;
  /** Frequency of the billed action; 1 by default. */
  readonly engagement_factor: number;
  readonly scenario: Scenario;
}

/** The parameters of an account without stored ones. */
export const ORDINARY: SimulationParameters = { market_level: 1, engagement_factor: 1, scenario: { name: 'ordinary' } };

/** Parses stored simulation parameters. */
export function parseSimulationParameters(text: string | null | undefined): SimulationParameters {
  return text ? { ...ORDINARY, ...(JSON.parse(text) as Partial<SimulationParameters>) } : ORDINARY;
}
