import type { Clock } from '../base/clock.ts';
import type { Environment } from '../contract/declare/account-state.ts';
import type { PageResponse } from '../contract/declare/pages.ts';
import type { BreakdownQuestion, CurrencyReport, ReportQuestion, SegmentReport } from '../contract/delivery/report.ts';
import type { Standings } from '../contract/delivery/standing.ts';
import type { SettledAccount } from '../contract/services/delivery.ts';

/** The calculation of the numbers of an hour. */
export interface ExplainedHour {
  /** UTC text of its beginning. */
  readonly hour: string;
  /** The steps of the calculation, by name. */
  readonly chain: Readonly<Record<string, number | string | null>>;
}

/** The dependencies of the pages beside calls. */
export interface ConsoleDeps {
  /** The clock of the service. */
  readonly clock: Clock;
  /** Leads to the login, and back to a path. */
  readonly redirectToLogin: (path: string) => PageResponse;
  /** The page for what does not exist. */
  readonly notFound: () => PageResponse;
  /** Whether delivery of an environment is simulated. */
  readonly isSimulated: (environment: Environment) => boolean;
  /** Adds up what an account delivered, until now, by currency. */
  readonly readReport: (account: SettledAccount, question: ReportQuestion) => Promise<readonly CurrencyReport[]>;
  /** Divides it by who or where people were. */
  readonly readBreakdown: (account: SettledAccount, question: BreakdownQuestion) => Promise<readonly SegmentReport[]>;
  /** Whether the active line items of an account show ads now, or those with given ids, and why not. */
  readonly readStandings: (
    account: SettledAccount,
    now: string,
    line_item_ids?: readonly string[],
  ) => Promise<Standings>;
  /** How the last whole hour of a line item came about, where its delivery is simulated. Amounts are micro units. */
  readonly explainLastHour: (
    account: SettledAccount,
    line_item_id: string,
    now: string,
  ) => Promise<ExplainedHour | undefined>;
  /** A declared targeting type, with its values where they are a few words; undefined for other texts. */
  readonly targetingType: (
    type: string,
  ) => { readonly isPrimary: boolean; readonly values: readonly string[] } | undefined;
  /** The bid strategies that an objective allows; none for other texts. */
  readonly bidStrategies: (objective: string) => readonly string[];
}
