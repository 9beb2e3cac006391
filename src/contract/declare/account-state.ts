/** The account that a call acts on, as far as authorization and rules need it. */
export interface AccountState {
  readonly id: string;
  readonly environment: Environment;
  readonly approval_status: string;
  /** IANA name. */
  readonly timezone: string;
  readonly deleted: boolean;
  /** Limits raised for this account, by setting name. @source decision 41 */
  readonly limits: Readonly<Record<string, number>>;
}

/**
 * The environment: an account and everything in it belongs to one. The listener alone selects it.
 * @source decision 1; decision 2
 */
export type Environment = 'production' | 'sandbox';
