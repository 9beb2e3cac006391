import type { Changes, TagKind } from '../contract/store/cache-changes.ts';
import type { LoggedEvent } from '../contract/store/events.ts';
import type { RecordsReading, RecordsWriting } from '../contract/store/records.ts';
import { findNumber, takeNumbers } from './core/sequences.ts';
import type { Session } from './core/session.ts';
import { AccountHistory } from './tables/account-history.ts';
import { removeOldest } from './tables/aging-rows.ts';
import { ApplicationLimits } from './tables/application-limits.ts';
import { ApplicationUsage } from './tables/application-usage.ts';
import { AudienceLog } from './tables/audience-log.ts';
import { Audit } from './tables/audit.ts';
import { CacheChanges } from './tables/cache-changes.ts';
import { Conversions } from './tables/conversions.ts';
import { Corpus } from './tables/corpus.ts';
import { Credentials } from './tables/credentials.ts';
import { CustomAudiences } from './tables/custom-audiences.ts';
import { DeliveryLedger } from './tables/delivery-ledger.ts';
import { DerivedFiles } from './tables/derived-files.ts';
import { Directory } from './tables/directory.ts';
import type { AppendedEvent } from './tables/event-outbox.ts';
import { Events } from './tables/events.ts';
import { BearerTokens, RequestTokens } from './tables/grants.ts';
import { Jobs } from './tables/jobs.ts';
import { LoginTallies, OperatorLinks, OperatorSessions, PasswordLinks, SentForms, Sessions } from './tables/logins.ts';
import { AccountMembers } from './tables/memberships.ts';
import { Messages } from './tables/messages.ts';
import { Nodes } from './tables/nodes.ts';
import { ObjectStoreId } from './tables/object-store-id.ts';
import { Notifications, Posts } from './tables/posts.ts';
import { Publishers } from './tables/publishers.ts';
import { Restores } from './tables/restores.ts';
import { SecondFactors } from './tables/second-factors.ts';
import { Advertisers, BudgetLeases, DeliveryBeacons } from './tables/serving.ts';
import { StatsJobs } from './tables/stats-jobs.ts';
import { StreamConnections } from './tables/stream-connections.ts';
import { Subscriptions } from './tables/subscriptions.ts';
import { Suggestions } from './tables/suggestions.ts';
import { Uploads } from './tables/uploads.ts';
import { UsedNonces } from './tables/used-nonces.ts';
import { VerifiedBackup } from './tables/verified-backup.ts';
import { WebhookLeases } from './tables/webhook-leases.ts';
import { Replays, WebhookDeliveries, Webhooks } from './tables/webhooks.ts';

/**
 * The tables by the names under which units of work find them: the only list of them.
 * @param invalidate takes the tags of what has changed; `collect` events that get their positions later
 */
export function partsOn(session: Session, invalidate: (tag: string) => void, collect: (event: AppendedEvent) => void) {
  return {
    accountHistory: new AccountHistory(session),
    credentials: new Credentials(session),
    accountMembers: new AccountMembers(session),
    requestTokens: new RequestTokens(session),
    bearerTokens: new BearerTokens(session),
    sessions: new Sessions(session),
    passwordLinks: new PasswordLinks(session),
    operatorLinks: new OperatorLinks(session),
    operatorSessions: new OperatorSessions(session),
    sentForms: new SentForms(session),
    secondFactors: new SecondFactors(session),
    loginTallies: new LoginTallies(session),
    suggestions: new Suggestions(session),
    jobs: new Jobs(session),
    nodes: new Nodes(session),
    objectStoreId: new ObjectStoreId(session),
    posts: new Posts(session),
    notifications: new Notifications(session),
    uploads: new Uploads(session),
    audiences: new CustomAudiences(session),
    conversions: new Conversions(session),
    deliveryLedger: new DeliveryLedger(session),
    statsJobs: new StatsJobs(session),
    advertisers: new Advertisers(session),
    deliveryBeacons: new DeliveryBeacons(session),
    budgetLeases: new BudgetLeases(session),
    publishers: new Publishers(session),
    derivedFiles: new DerivedFiles(session),
    directory: new Directory(session),
    corpus: new Corpus(session),
    audienceLog: new AudienceLog(session),
    events: new Events(session, invalidate, collect),
    subscriptions: new Subscriptions(session, invalidate),
    applicationLimits: new ApplicationLimits(session),
    applicationUsage: new ApplicationUsage(session),
    streamConnections: new StreamConnections(session, invalidate),
    messages: new Messages(session),
    webhooks: new Webhooks(session, invalidate),
    webhookDeliveries: new WebhookDeliveries(session),
    webhookLeases: new WebhookLeases(session),
    replays: new Replays(session),
    restores: new Restores(session),
    verifiedBackup: new VerifiedBackup(session),
    usedNonces: new UsedNonces(session),
    audit: new Audit(session),
    cacheChanges: new CacheChanges(session),
    removeOldest: removeOldest.bind(undefined, session),
    /** The next number of a sequence; undefined when none was taken yet. */
    findNumber: (sequence: string) => findNumber(session, sequence),
    /** Takes the next `count` numbers of a sequence; returns the first. */
    takeNumbers: (sequence: string, start: number, count: number) => takeNumbers(session, sequence, start, count),
  };
}

type Parts = ReturnType<typeof partsOn>;

/** The methods of a table that only read, by their names. @source decision 1321 */
type Reading<Table> = Pick<Table, Extract<keyof Table, `find${string}` | `list${string}` | `has${string}` | 'page'>>;

/** The tables that have such methods. */
type ReadParts = {
  readonly [Name in keyof Parts as [keyof Reading<Parts[Name]>] extends [never] ? never : Name]: Reading<Parts[Name]>;
};

/** The tables that a unit of work may read. */
export interface ReadTransaction extends ReadParts {
  readonly records: RecordsReading;
  readonly findNumber: Parts['findNumber'];
}

/** The tables that a unit of work may read and write. */
export interface WriteTransaction extends Omit<Parts, 'accountHistory'> {
  /** The table, or the buffer of a batch. */
  readonly accountHistory: Pick<AccountHistory, keyof AccountHistory>;
  readonly records: RecordsWriting;
  /**
   * Reports by tag that cached rows changed, or `everything`; caches drop them before the unit is acknowledged. Commands
   * report `everything`; on SQLite, nothing else reaches a running server.
   * @source decision 742
   */
  invalidate(tag: string): void;
}

/**
 * The storage port. A unit of work is the only access to the database; only reads and writes may be awaited inside one.
 * When `write` resolves, its changes are durable; when it rejects, nothing was changed, unless it rejects with a
 * `StoreUnavailable` whose outcome is unknown.
 */
export interface Store {
  read<T>(work: (tx: ReadTransaction) => Promise<T>): Promise<T>;
  write<T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T>;
  /**
   * Like `write`, for work that first reads and then only inserts: on PostgreSQL, such units are committed together.
   * Other work can be given too, but starts again by itself. `kind` names units that do the same.
   * @source decision 827
   */
  writeTogether<T>(kind: string, work: (tx: WriteTransaction) => Promise<T>): Promise<T>;
  /**
   * Like `write`, but on PostgreSQL without waiting for a connection that requests use: for short units that show that
   * this process is alive.
   * @source decision 800
   */
  writeUrgent<T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T>;
  /**
   * Calls the listener with the invalidated tags of each unit that invalidates one of these kinds, after it is durable
   * and before it is acknowledged; with `everything` when anything may have changed.
   */
  onInvalidate(kinds: readonly TagKind[], listener: (tags: Changes) => void): void;
  /**
   * Resolves when caches have dropped everything whose change was acknowledged, by any process, before the call.
   * Undefined on SQLite, where the changes of commands are polled for.
   * @throws StoreUnavailable also when the schema has moved beyond what this process can work with: it has to end
   */
  readonly fence: (() => Promise<void>) | undefined;
  /** Undefined on SQLite, where events get their positions at once. */
  readonly sequencer: EventSequencer | undefined;
  /** Clears all caches. */
  clearCaches(): void;
  onOutage(listener: OutageListener): void;
  /** Resolves when the database answers; rejects otherwise. Cheap. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Gives positions to events, in one process at a time. */
interface EventSequencer {
  /**
   * Gives positions to about `max` events of units that have ended, the first ones first, and returns these events, fewer
   * than `max` when there are no others; undefined when another process is elected to do it. Calls must not overlap.
   * @throws StoreUnavailable
   */
  sequence(max: number): Promise<readonly LoggedEvent[] | undefined>;
}

/** Is notified of outages of the store. */
export interface OutageListener {
  /** The database, or the connection to it, was lost. */
  began?(cause: Error): void;
  /**
   * It is back, after `away_ms`. Units that were in flight are decided by now; what was read earlier must be read
   * again. Called before any other unit begins.
   */
  ended?(away_ms: number): void;
  /** Another process has taken the database over, or upgraded it beyond this one, which has to end. */
  superseded?(cause: Error): void;
}
