/** Duration of a time step of one-time codes, in seconds. */
export const CODE_STEP_S = 30;
/** How many steps before and after its own a code is accepted, for clock skew and slow typing. */
export const CODE_STEPS_OFF = 1;

/** The one-time password of a user. The secret is sealed. */
export interface SecondFactor {
  readonly user_id: string;
  readonly secret: string;
  /** Time step of the last used code; no code is accepted twice. */
  readonly last_step: number;
  readonly created_at: string;
}

/** One-time passwords and recovery codes of users. */
export interface SecondFactors {
  find(user: string): Promise<SecondFactor | undefined>;
  /** How many recovery codes are left. */
  findRecoveryCount(user: string): Promise<number>;
  /** Rejects when the user already has one. */
  add(factor: SecondFactor): Promise<void>;
  /** Records that the code of a time step was used; returns false when one of this or a later step was. */
  use(user: string, step: number): Promise<boolean>;
  /** Replaces all recovery codes by these hashes. */
  putRecovery(user: string, hashes: readonly string[]): Promise<void>;
  /** Consumes a recovery code; returns false when there is no such code. */
  takeRecovery(user: string, hash: string): Promise<boolean>;
  /** Removes it and its recovery codes; returns false when there was none. */
  remove(user: string): Promise<boolean>;
}
