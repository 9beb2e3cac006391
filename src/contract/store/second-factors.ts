/** How long a one-time code is shown, in seconds: a step. */
export const CODE_STEP_S = 30;
/** How many steps before and after its own a code is accepted: clocks differ, and people type slowly. */
export const CODE_STEPS_OFF = 1;

/** The one-time passwords of a user. The secret is sealed. */
export interface SecondFactor {
  readonly user_id: string;
  readonly secret: string;
  /** The time step of the last code that was used: no code is good twice. */
  readonly last_step: number;
  readonly created_at: string;
}

/** One-time passwords and recovery codes of users. */
export interface SecondFactors {
  find(user: string): Promise<SecondFactor | undefined>;
  /** How many recovery codes are left. */
  findRecoveryCount(user: string): Promise<number>;
  /** Fails when the user has one. */
  add(factor: SecondFactor): Promise<void>;
  /** Notes that the code of a time step was used; false when one of it or of a later one was. */
  use(user: string, step: number): Promise<boolean>;
  /** Puts hashes of recovery codes in the place of all former ones. */
  putRecovery(user: string, hashes: readonly string[]): Promise<void>;
  /** Uses up a recovery code; false when there is no such code. */
  takeRecovery(user: string, hash: string): Promise<boolean>;
  /** Removes it with its recovery codes; false when there was none. */
  remove(user: string): Promise<boolean>;
}
