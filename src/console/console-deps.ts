import type { Clock } from '../base/clock.ts';
import type { Environment } from '../contract/declare/account-state.ts';
import type { PageResponse } from '../contract/declare/pages.ts';

/** What the pages of the console need beside calls. */
export interface ConsoleDeps {
  /** The clock of the service. */
  readonly clock: Clock;
  /** Leads to the login, and back to a path. */
  readonly redirectToLogin: (path: string) => PageResponse;
  /** The page for what does not exist. */
  readonly notFound: () => PageResponse;
  /** Whether delivery of an environment is simulated. */
  readonly isSimulated: (environment: Environment) => boolean;
  /** The bid strategies that an objective allows; none for what is no objective. */
  readonly bidStrategies: (objective: string) => readonly string[];
}
