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
