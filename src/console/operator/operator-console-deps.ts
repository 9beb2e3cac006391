import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import type { ApplicationLimit } from '../../contract/declare/application-limits.ts';
import type { LimitName } from '../../contract/declare/resource.ts';
import type { AccountInput } from '../../features/ads/administration/account-input.ts';

/** Dependencies of the pages other than the database. */
export interface OperatorConsoleDeps {
  readonly clock: Clock;
  /** The system clock, which dates logins. */
  readonly wallClock: Clock;
  readonly random: Random;
  readonly hashPassword: (password: string) => Promise<string>;
  /** The base URL at which users log in. */
  readonly loginUrl: () => string;
  /** Validates input about accounts. */
  readonly accountInput: AccountInput;
  /** Default limits of accounts. */
  readonly limits: Readonly<Record<LimitName, number>>;
  /** Default limits of applications. */
  readonly applicationLimits: Readonly<Record<ApplicationLimit, number>>;
  /** The id of the node that serves the pages. */
  readonly node: string;
  /** The version of the program. */
  readonly version: string;
}
