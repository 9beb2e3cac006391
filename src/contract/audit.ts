/** Everything that is noted for those who look after the service. @source authentication gaps 15.2 */
export type AuditEvent =
  | 'login'
  | 'login_failed'
  | 'login_throttled'
  | 'logout'
  | 'reauthenticated'
  | 'reauthentication_failed'
  | 'sessions_ended'
  | 'password_changed'
  | 'password_reset'
  | 'totp_enabled'
  | 'totp_disabled'
  | 'recovery_code_used'
  | 'recovery_codes_renewed'
  | 'consent_given'
  | 'consent_denied'
  | 'access_withdrawn'
  | 'application_created'
  | 'application_changed'
  | 'keys_regenerated'
  | 'token_issued'
  | 'token_revoked'
  | 'bearer_issued'
  | 'bearer_revoked';

/** One event, and whom it concerns. Address and transaction id are added where it is written down. */
export interface Noted {
  readonly event: AuditEvent;
  readonly user_id?: string | undefined;
  readonly application_id?: string | undefined;
  /** Id of the token's row. Of the value nothing is told: all tokens of a user begin alike, as all bearer tokens do. */
  readonly token_id?: string;
}
