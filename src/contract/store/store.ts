import type { ApplicationLimits } from '../declare/application-limits.ts';
import type { AnyResource, Fields, Resource, Row, RowOf } from '../declare/resource.ts';
import type { StreamConnections } from '../services/streams.ts';
import type { AccountHistory } from './account-history.ts';
import type { AccountMembers } from './account-members.ts';
import type { ApplicationUsage } from './application-usage.ts';
import type { AudienceLog } from './audiences.ts';
import type { Audit } from './audit.ts';
import type { CacheChanges, Changes, TagKind } from './cache-changes.ts';
import type { Conversions } from './conversions.ts';
import type { Corpus } from './corpus.ts';
import type { Credentials } from './credentials.ts';
import type { CustomAudiences } from './custom-audiences.ts';
import type { DeliveryLedger } from './delivery-ledger.ts';
import type { DerivedFiles } from './derived-files.ts';
import type { Directory } from './directory.ts';
import type { Events, LoggedEvent } from './events.ts';
import type { BearerTokens, RequestTokens } from './grants.ts';
import type { Jobs } from './jobs.ts';
import type { LoginTallies, OperatorLinks, OperatorSessions, PasswordLinks, SentForms, Sessions } from './logins.ts';
import type { Messages } from './messages.ts';
import type { Nodes } from './nodes.ts';
import type { UsedNonces } from './nonces.ts';
import type { ObjectStoreId } from './object-store-id.ts';
import type { Notifications, Posts } from './posts.ts';
import type { Publishers } from './publishers.ts';
import type { Restores } from './restores.ts';
import type { SecondFactors } from './second-factors.ts';
import type { Advertisers, BudgetLeases, DeliveryBeacons } from './serving.ts';
import type { StatsJobs } from './stats-jobs.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { Suggestions } from './suggestions.ts';
import type { Uploads } from './uploads.ts';
import type { VerifiedBackup } from './verified-backup.ts';
import type { WebhookLeases } from './webhook-leases.ts';
import type { Replays, WebhookDeliveries, Webhooks } from './webhooks.ts';

/** Whether a read includes deleted rows; every read must specify it. */
export type Deleted = 'hidden' | 'shown';

/** A list query. Values are stored values; conditions are combined with AND. */
export interface PageQuery {
  /** The account of the rows; undefined for resources of scope `user`. */
  readonly account: string | undefined;
  /** The user on whose accounts the rows are, for resources of scope `user`. */
  readonly member: { readonly user: string; readonly environment: string } | undefined;
  /** The account that the rows were granted to, for shared resources. */
  readonly grantee?: string;
  readonly deleted: Deleted;
  /** Column -> accepted values; an empty list matches nothing. */
  readonly within: Readonly<Record<string, readonly (string | number)[]>>;
  /** Excludes rows whose column has this value. */
  readonly without: { readonly column: string; readonly value: string } | undefined;
  /** Prefix of a folded search column, folded. */
  readonly prefix: { readonly column: string; readonly text: string } | undefined;
  /** Folded words that must all occur in the column `terms`. */
  readonly terms?: readonly string[];
  /**
   * Sort keys in order, ending with the id, so that the order is total. Nulls come last in both directions.
   * @source decision 42
   */
  readonly sort: readonly SortKey[];
  /** The sort values of the last row of the previous page. */
  readonly after: readonly (string | number | null)[] | undefined;
  readonly limit: number;
}

/** Filters without order or page. */
export type Conditions = Omit<PageQuery, 'sort' | 'after' | 'limit'>;

/** A combination of values of the grouped columns, and its number of rows. */
export type Tally = { readonly [column: string]: string | number | null } & { readonly total: number };

/** A sort key. */
export interface SortKey {
  readonly column: string;
  readonly direction: 'asc' | 'desc';
  /** Whether the column may hold null. */
  readonly nullable: boolean;
}

/** Reads of resource rows. */
export interface RecordsReading {
  /** One row, or undefined. `lock` locks it until the unit ends. */
  get<F extends Fields>(
    resource: Resource<F>,
    key: RowKey,
    options: { readonly deleted: Deleted; readonly lock?: boolean },
  ): Promise<RowOf<F> | undefined>;
  /**
   * Rows of an account by id, or by the values of another column, unordered; missing ones are absent. `lock` as in
   * `get`.
   */
  getMany<F extends Fields>(
    resource: Resource<F>,
    account: string,
    values: readonly string[],
    options: { readonly deleted: Deleted; readonly lock?: boolean; readonly column?: string },
  ): Promise<RowOf<F>[]>;
  page(resource: AnyResource, query: PageQuery): Promise<Row[]>;
  count(resource: AnyResource, query: Omit<PageQuery, 'sort' | 'after' | 'limit'>): Promise<number>;
  /** The number of rows for each combination of values of these columns; combinations without rows are absent. */
  tally(resource: AnyResource, query: Conditions, by: readonly string[]): Promise<Tally[]>;
}

/** Writes of resource rows. */
export interface RecordsWriting extends RecordsReading {
  insert(resource: AnyResource, row: Row): Promise<void>;
  /** Inserts rows with the same columns, many in one statement. */
  insertAll(resource: AnyResource, rows: readonly Row[]): Promise<void>;
  update(resource: AnyResource, key: RowKey, changes: Readonly<Record<string, string | number | null>>): Promise<void>;
  /** Applies the same changes to several rows of an account. */
  updateAll(
    resource: AnyResource,
    account: string,
    ids: readonly string[],
    changes: Readonly<Record<string, string | number | null>>,
  ): Promise<void>;
  /** Removes a row permanently. */
  remove(resource: AnyResource, key: RowKey): Promise<void>;
  /** Locks everything counted per account until this unit ends. */
  lockAccount(account: string): Promise<void>;
}

/** Identifies a row: its id, and its account for resources of scope `account`. */
export interface RowKey {
  readonly account: string | undefined;
  readonly id: string;
  /** Also finds a row of another account that was granted to this one. */
  readonly includesGranted?: boolean;
}

/** What a unit of work may read. */
export interface ReadTransaction {
  readonly records: RecordsReading;
  readonly accountHistory: Pick<AccountHistory, 'page'>;
  readonly credentials: Pick<Credentials, Extract<keyof Credentials, `find${string}` | `list${string}`>>;
  readonly accountMembers: Pick<AccountMembers, Extract<keyof AccountMembers, `find${string}` | `list${string}`>>;
  readonly requestTokens: Pick<RequestTokens, 'find'>;
  readonly bearerTokens: Pick<BearerTokens, 'findByHash' | 'findOutstanding'>;
  readonly sessions: Pick<Sessions, 'find' | 'list'>;
  readonly passwordLinks: Pick<PasswordLinks, 'find'>;
  readonly operatorSessions: Pick<OperatorSessions, 'find' | 'list'>;
  readonly sentForms: Pick<SentForms, 'find'>;
  readonly secondFactors: Pick<SecondFactors, 'find' | 'findRecoveryCount'>;
  readonly suggestions: Suggestions;
  readonly jobs: Pick<Jobs, 'find' | 'findNext' | 'hasDue' | 'listBacklogs'>;
  readonly nodes: Pick<Nodes, Extract<keyof Nodes, `find${string}` | `list${string}`>>;
  readonly objectStoreId: Pick<ObjectStoreId, 'find'>;
  readonly posts: Pick<Posts, 'find' | 'findHorizon' | 'findRepost' | 'list' | 'listTexts' | 'page'>;
  readonly notifications: Pick<Notifications, 'list'>;
  readonly uploads: Pick<Uploads, Extract<keyof Uploads, `find${string}` | `list${string}`>>;
  readonly audiences: Pick<CustomAudiences, Extract<keyof CustomAudiences, `find${string}` | `list${string}`>>;
  readonly audienceLog: Pick<AudienceLog, Extract<keyof AudienceLog, `find${string}`>>;
  readonly conversions: Pick<Conversions, Extract<keyof Conversions, `list${string}` | `find${string}`>>;
  readonly deliveryLedger: Pick<DeliveryLedger, Extract<keyof DeliveryLedger, `find${string}` | `list${string}`>>;
  readonly statsJobs: Pick<StatsJobs, 'find' | 'findByFileName' | 'page' | 'countUnfinished' | 'listNamedKeys'>;
  readonly advertisers: Advertisers;
  readonly deliveryBeacons: Pick<DeliveryBeacons, 'list'>;
  readonly budgetLeases: Pick<BudgetLeases, 'list'>;
  readonly publishers: Pick<Publishers, Extract<keyof Publishers, `find${string}` | 'list'>>;
  readonly derivedFiles: Pick<DerivedFiles, Extract<keyof DerivedFiles, `find${string}` | `list${string}`>>;
  readonly directory: Pick<Directory, Extract<keyof Directory, `find${string}` | `list${string}`>>;
  readonly events: Pick<Events, Extract<keyof Events, `find${string}` | `list${string}`>>;
  readonly subscriptions: Pick<Subscriptions, Extract<keyof Subscriptions, `find${string}` | `list${string}` | 'page'>>;
  readonly streamConnections: Pick<StreamConnections, Extract<keyof StreamConnections, `list${string}`> | 'page'>;
  readonly applicationLimits: Pick<ApplicationLimits, 'find'>;
  readonly applicationUsage: Pick<ApplicationUsage, 'listSince'>;
  readonly messages: Pick<Messages, Extract<keyof Messages, `find${string}`>>;
  readonly corpus: Pick<Corpus, Extract<keyof Corpus, `find${string}` | `list${string}`>>;
  readonly webhooks: Pick<Webhooks, Extract<keyof Webhooks, `find${string}` | `list${string}`>>;
  readonly webhookDeliveries: Pick<
    WebhookDeliveries,
    Extract<keyof WebhookDeliveries, `find${string}` | `list${string}` | 'page'>
  >;
  readonly webhookLeases: Pick<WebhookLeases, Extract<keyof WebhookLeases, `find${string}` | `list${string}`>>;
  readonly replays: Pick<Replays, Extract<keyof Replays, `find${string}` | `list${string}`>>;
  readonly restores: Restores;
  readonly verifiedBackup: Pick<VerifiedBackup, 'find'>;
  readonly usedNonces: Pick<UsedNonces, Extract<keyof UsedNonces, `find${string}` | 'list'>>;
  readonly audit: Pick<Audit, 'listRecords'>;
  /** The next number of a sequence; undefined when none was taken yet. */
  findNumber(sequence: string): Promise<number | undefined>;
}

/** What a unit of work may read and write. */
export interface WriteTransaction extends ReadTransaction {
  readonly records: RecordsWriting;
  readonly accountHistory: AccountHistory;
  readonly credentials: Credentials;
  readonly accountMembers: AccountMembers;
  readonly requestTokens: RequestTokens;
  readonly bearerTokens: BearerTokens;
  readonly sessions: Sessions;
  readonly passwordLinks: PasswordLinks;
  readonly operatorLinks: OperatorLinks;
  readonly operatorSessions: OperatorSessions;
  readonly sentForms: SentForms;
  readonly secondFactors: SecondFactors;
  readonly loginTallies: LoginTallies;
  readonly jobs: Jobs;
  readonly nodes: Nodes;
  readonly objectStoreId: ObjectStoreId;
  readonly posts: Posts;
  readonly notifications: Notifications;
  readonly uploads: Uploads;
  readonly audiences: CustomAudiences;
  readonly audienceLog: AudienceLog;
  readonly conversions: Conversions;
  readonly deliveryLedger: DeliveryLedger;
  readonly statsJobs: StatsJobs;
  readonly deliveryBeacons: DeliveryBeacons;
  readonly budgetLeases: BudgetLeases;
  readonly publishers: Publishers;
  readonly derivedFiles: DerivedFiles;
  readonly directory: Directory;
  readonly events: Events;
  readonly subscriptions: Subscriptions;
  readonly applicationLimits: ApplicationLimits;
  readonly applicationUsage: ApplicationUsage;
  readonly streamConnections: StreamConnections;
  readonly messages: Messages;
  readonly corpus: Corpus;
  readonly webhooks: Webhooks;
  readonly webhookDeliveries: WebhookDeliveries;
  readonly webhookLeases: WebhookLeases;
  readonly replays: Replays;
  readonly verifiedBackup: VerifiedBackup;
  readonly usedNonces: UsedNonces;
  readonly audit: Audit;
  readonly cacheChanges: CacheChanges;
  /** Takes the next `count` numbers of a sequence; returns the first. */
  takeNumbers(sequence: string, start: number, count: number): Promise<number>;
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
  /** The work may begin twice: it must have no effects outside before its second read. @source decision 733 */
  read<T>(work: (tx: ReadTransaction) => Promise<T>): Promise<T>;
  write<T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T>;
  /**
   * Like `write`, for work that first reads and then only inserts: on PostgreSQL, such units are committed together. Any
   * other work may begin twice, as that of `read`. `kind` names units that do the same. @source decision 827
   */
  writeTogether<T>(kind: string, work: (tx: WriteTransaction) => Promise<T>): Promise<T>;
  /**
   * Like `write`, but on PostgreSQL without waiting for a connection that requests use: for short units that show that
   * this process is alive. @source decision 800
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
  /** Drops everything that is cached. */
  clearCaches(): void;
  onOutage(listener: OutageListener): void;
  /** Resolves when the database answers; rejects otherwise. Cheap. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Gives positions to events, in one process at a time. */
export interface EventSequencer {
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

/** A unique constraint was violated: nothing of the unit was stored. */
export class ConstraintViolated extends Error {
  override readonly name = 'ConstraintViolated';
}

/** The database has migrations that this version does not know and cannot work with: a newer version made them. */
export class SchemaTooNew extends Error {
  override readonly name = 'SchemaTooNew';
}
