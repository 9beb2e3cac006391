/**
 * All audit events by name, with a description. Add a description with each new event: `docs/generated/audit.md` is
 * generated from them.
 * @source authentication 15.2
 */
export const AUDIT_EVENTS = {
  command: 'An operator ran a command that changes something or copies everything; `command` says which.',
  login: 'A user logged in.',
  login_failed: 'A login was refused: unknown user, wrong password or code, or a user who is suspended or locked.',
  login_throttled: 'A login was not tried, because too many had failed before.',
  logout: 'A user logged out.',
  reauthenticated: 'A user who was logged in gave the password again.',
  reauthentication_failed: 'A user who was logged in gave a wrong password or code.',
  sessions_ended: 'A user ended one of their sessions, or all others.',
  password_changed: 'A user changed their password.',
  password_reset: 'A user set a password with a link from an operator.',
  totp_enabled: 'A user turned on two-step login.',
  totp_disabled: 'A user turned off two-step login.',
  recovery_code_used: 'A recovery code took the place of a one-time code.',
  recovery_codes_renewed: 'A user made new recovery codes.',
  profile_changed: 'A user, or an application on their behalf, changed their name or user name.',
  consent_given: 'A user gave an application access.',
  consent_denied: 'A user denied an application access.',
  access_withdrawn: 'A user withdrew the access of an application.',
  application_created: 'A user registered an application.',
  application_changed: 'The owner changed an application, its callback addresses for example.',
  keys_regenerated: 'The owner replaced the consumer key and secret of an application.',
  token_issued: 'An access token was issued.',
  token_revoked: 'An access token was revoked.',
  bearer_issued: 'A bearer token was issued to an application.',
  bearer_revoked: 'The bearer token of an application was revoked.',
  webhook_created: 'An application registered a webhook.',
  webhook_removed: 'An application removed a webhook.',
  webhook_secret_renewed: 'The owner replaced the secret of a webhook.',
  publisher_created: 'A user registered a publisher.',
  publisher_credential_renewed: 'The owner replaced the credential of a publisher.',
  publisher_disabled: 'The owner disabled a publisher.',
  operator_login: 'An operator signed in to the operator console with a link.',
  operator_login_failed: 'A link to the operator console was refused: unknown, used or too old.',
  operator_logout: 'An operator signed out of the operator console.',
} as const satisfies Readonly<Record<string, string>>;

/** The name of an audit event. */
export type AuditEvent = keyof typeof AUDIT_EVENTS;

/** Events that anonymous clients can cause go to the log only, so that they cannot fill the database. */
export const LOG_ONLY: readonly AuditEvent[] = ['login_failed', 'login_throttled', 'operator_login_failed'];

/** An event and who it concerns. Address and transaction id are added when it is written. */
export interface AuditedEvent {
  readonly event: AuditEvent;
  readonly user_id?: string | undefined;
  readonly application_id?: string | undefined;
  /** Id of the token's row. No part of the value is recorded: all tokens of a user begin alike, as do bearer tokens. */
  readonly token_id?: string;
  readonly webhook_id?: string;
  readonly publisher_id?: string;
}

/** Stores an event in the unit of work that causes it; the caller logs it once the unit has ended. */
export type RecordAudit = (
  tx: { readonly audit: { append(records: readonly AuditRecord[]): Promise<void> } },
  event: AuditedEvent,
) => Promise<void>;

/** How an action ended; `begun`: it is in progress, or its process ended before it did. */
export type AuditOutcome = 'begun' | 'done' | 'failed';

/** A stored audit record: names and ids, never any part of a secret. */
export interface AuditRecord {
  readonly id: string;
  /** UTC text with milliseconds: when it happened or began. */
  readonly at: string;
  readonly event: AuditEvent;
  readonly outcome: AuditOutcome;
  /** Who did it: `user:`, `application:` or `operator:`, then the id or name; null when unknown. */
  readonly actor: string | null;
  /** Who the operator was before `sudo`, according to the environment variables. */
  readonly sudo_user: string | null;
  /** The caller's address, or the name of the host on which a command ran. */
  readonly origin: string;
  readonly transaction_id: string | null;
  /** The words of a command and those of its options that cannot be secret, or the act on a page of operators; with its reason. */
  readonly command: string | null;
  /** The affected objects, as `kind` or `kind:id`. */
  readonly targets: readonly string[];
}

/** How long the reason of an operator may be, in characters. */
export const REASON_MAX = 200;

/** A reason as recorded; undefined if it is blank. */
export function reasonOf(text: string): string | undefined {
  const reason = text.trim();
  return reason === '' || reason.length > REASON_MAX ? undefined : reason;
}

/** What was done with its reason, as a record's `command` has both. @source decision 1246 */
export function withReason(words: string, reason: string): string {
  return `${words} --reason ${JSON.stringify(reason)}`;
}

/** The audit record of an event that a page or an API call caused. */
export function recordOf(
  { event, user_id, application_id, token_id, webhook_id, publisher_id }: AuditedEvent,
  about: Pick<AuditRecord, 'id' | 'at' | 'origin' | 'transaction_id'>,
): AuditRecord {
  const application = target('application', application_id);
  const targets = [
    // In a call of an application alone, the application is the actor, not a target.
    ...(user_id === undefined ? [] : application),
    ...target('token', token_id),
    ...target('webhook', webhook_id),
    ...target('publisher', publisher_id),
  ];
  return {
    ...about,
    event,
    outcome: /_(failed|throttled)$/.test(event) ? 'failed' : 'done',
    actor: target('user', user_id)[0] ?? application[0] ?? null,
    sudo_user: null,
    command: null,
    targets,
  };
}

function target(kind: string, id: string | undefined): string[] {
  return id === undefined ? [] : [`${kind}:${id}`];
}
