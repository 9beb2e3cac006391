/**
 * Everything that is recorded for auditors, by name, and what it says. Whoever adds one adds its sentence here:
 * `docs/generated/audit.md` is made from it. @source authentication gaps 15.2
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
  profile_changed: 'A user, or an application on their behalf, changed the profile; the user name is part of it.',
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
} as const satisfies Readonly<Record<string, string>>;

/** The name of something that is recorded. */
export type AuditEvent = keyof typeof AUDIT_EVENTS;

/** What strangers can cause as often as they like is in the log alone, so that nobody can fill the database with it. */
export const LOG_ONLY: readonly AuditEvent[] = ['login_failed', 'login_throttled'];

/** One event, and whom it concerns. Address and transaction id are added where it is written down. */
export interface AuditedEvent {
  readonly event: AuditEvent;
  readonly user_id?: string | undefined;
  readonly application_id?: string | undefined;
  /** Id of the token's row. Of the value nothing is told: all tokens of a user begin alike, as all bearer tokens do. */
  readonly token_id?: string;
  readonly webhook_id?: string;
}

/** Stores an event in the unit of work that brings it about; whoever does so notes it once the unit has ended. */
export type RecordAudit = (tx: { readonly audit: Pick<Audit, 'append'> }, event: AuditedEvent) => Promise<void>;

/** How something ended; `begun`: it is under way, or its process ended before it did. */
export type AuditOutcome = 'begun' | 'done' | 'failed';

/** A record as it is stored: names and ids, and never a part of a secret. */
export interface AuditRecord {
  readonly id: string;
  /** UTC text to the millisecond: when it happened, or began. */
  readonly at: string;
  readonly event: AuditEvent;
  readonly outcome: AuditOutcome;
  /** Who did it: `user:`, `application:` or `operator:`, and the id or name; null for nobody who is known. */
  readonly actor: string | null;
  /** Who the operator was before `sudo`, by the word of their environment. */
  readonly sudo_user: string | null;
  /** The address of the caller, or the name of the host on which a command ran. */
  readonly origin: string;
  readonly transaction_id: string | null;
  /** The words of a command and those of its options that can be no secret. */
  readonly command: string | null;
  /** What was touched: the kind, and its id behind a colon where it has one. */
  readonly targets: readonly string[];
}

/** What names a record. */
export type AuditKey = Pick<AuditRecord, 'at' | 'id'>;

/** Which records are wanted; they come newest first. */
export interface AuditQuery {
  /** From this time on; UTC text. */
  readonly since?: string | undefined;
  /** Before this time. */
  readonly until?: string | undefined;
  readonly event?: AuditEvent | undefined;
  /** The record behind which the page begins. */
  readonly after?: AuditKey | undefined;
  readonly limit: number;
}

/** The records for auditors. Nothing changes one, but for the end of what was begun, and age alone removes it. */
export interface Audit {
  listRecords(query: AuditQuery): Promise<AuditRecord[]>;
  append(records: readonly AuditRecord[]): Promise<void>;
  /** Says how something ended that was begun, and what it touched. */
  end(record: AuditRecord): Promise<void>;
  /** Removes records from before a time; the answer is how many. */
  removeBefore(time: string, limit: number): Promise<number>;
}

/** The record of an event of a page or a call. */
export function recordOf(
  { event, user_id, application_id, token_id, webhook_id }: AuditedEvent,
  about: Pick<AuditRecord, 'id' | 'at' | 'origin' | 'transaction_id'>,
): AuditRecord {
  const application = target('application', application_id);
  const targets = [
    // Of a call of an application alone, the application is who did it.
    ...(user_id === undefined ? [] : application),
    ...target('token', token_id),
    ...target('webhook', webhook_id),
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
