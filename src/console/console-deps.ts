import type { Clock } from '../base/clock.ts';
import type { Environment } from '../contract/declare/account-state.ts';
import type { PageResponse } from '../contract/declare/pages.ts';
import type { AccountDeliveryStatus } from '../contract/delivery/delivery-status.ts';
import type { BreakdownQuestion, CurrencyReport, ReportQuestion, SegmentReport } from '../contract/delivery/report.ts';
import type { SettledAccount } from '../contract/services/delivery.ts';

/** The calculation behind the metrics of an hour. */
export interface ExplainedHour {
  /** The start of the hour as UTC text. */
  readonly hour: string;
  /** The steps of the calculation, by name. */
  readonly chain: Readonly<Record<string, number | string | null>>;
}

/** Dependencies of the pages other than API calls. */
export interface ConsoleDeps {
  /** The clock of the service. */
  readonly clock: Clock;
  /** Redirects to the login page, which returns to a path. */
  readonly redirectToLogin: (path: string) => PageResponse;
  /** The 404 page. */
  readonly notFound: () => PageResponse;
  /** Whether delivery of an environment is simulated. */
  readonly isSimulated: (environment: Environment) => boolean;
  /** Sums the delivery of an account up to now, by currency. */
  readonly readReport: (account: SettledAccount, question: ReportQuestion) => Promise<readonly CurrencyReport[]>;
  /** The same, broken down by audience segment. */
  readonly readBreakdown: (account: SettledAccount, question: BreakdownQuestion) => Promise<readonly SegmentReport[]>;
  /** The delivery status of the active line items of an account, or of those with the given ids. */
  readonly readStandings: (
    account: SettledAccount,
    now: string,
    line_item_ids?: readonly string[],
  ) => Promise<AccountDeliveryStatus>;
  /** Explains the last full hour of a line item with simulated delivery. Amounts are micros. */
  readonly explainLastHour: (
    account: SettledAccount,
    line_item_id: string,
    now: string,
  ) => Promise<ExplainedHour | undefined>;
  /** A targeting type, with its values if it is a short enum; undefined if unknown. */
  readonly targetingType: (
    type: string,
  ) => { readonly isPrimary: boolean; readonly values: readonly string[] } | undefined;
  /** The bid strategies of an objective; empty if unknown. */
  readonly bidStrategies: (objective: string) => readonly string[];
}
