import type { Clock } from '../../base/clock.ts';
import type { Schema } from '../../base/json-schema.ts';
import type { Random } from '../../base/random.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { ReadTransaction, Store, WriteTransaction } from '../../storage/unit-of-work.ts';
import type { ErrorDetail, Family, ProblemName } from '../problems/problems.ts';
import type { Delivery } from '../services/delivery.ts';
import type { Keywords } from '../services/keywords.ts';
import type { MediaUrls } from '../services/media.ts';
import type { ObjectReader, ObjectStore } from '../services/objects.ts';
import type { ReceivedFile, ReceivedFiles } from '../services/received-files.ts';
import type { Sender } from '../services/sending.ts';
import type { AdServing } from '../services/serving.ts';
import type { StreamHandle, Streams } from '../services/streams.ts';
import type { AudienceMembers, AudienceSettings, UploadParser } from '../store/audiences.ts';
import type { AuditedEvent, RecordAudit } from '../store/audit.ts';
import type { DirectoryIndex } from '../store/directory.ts';
import type { ActivitySettings, EventFeed } from '../store/events.ts';
import type { LoginSettings, OutstandingBearers } from '../store/grants.ts';
import type { UploadSettings } from '../store/uploads.ts';
import type { WebhookReplayer, WebhookSettings } from '../store/webhooks.ts';
import type { AccountState, Environment } from './account-state.ts';
import type { ApplicationLimit } from './application-limits.ts';
import type { Caller, Principal } from './callers.ts';
import type { Deprecation } from './deprecations.ts';
import type { Field, StoredValue } from './fields.ts';
import type { RateName, RateWindow } from './rates.ts';
import type { AnyResource, LimitName, Row } from './resource.ts';
import type { Role } from './roles.ts';

/** Parameters of a call by name. */
export type Parameters = Readonly<Record<string, Field>>;

/** Passed to every call by the composition root: what all features share, then a group per feature. */
export interface Services {
  readonly store: Store;
  /** The service clock: dates stored rows and decides when jobs are due. */
  readonly clock: Clock;
  /**
   * The system clock, for rate limits and logins. Differs from `clock` only in development, where that can be moved.
   * @source decision 865
   */
  readonly wallClock: Clock;
  readonly random: Random;
  /** Unpredictable even in development mode: for generating secrets. */
  readonly secrets: Random;
  readonly box: SecretBox;
  readonly ids: Ids;
  /** All declared resources, by plural name. */
  readonly resources: ReadonlyMap<string, AnyResource>;
  /** Serializes rows for replies: one JSON text each. */
  serializeRows(resource: AnyResource, rows: readonly Row[], context: SerializeContext): Promise<string[]>;
  readonly rowFactory: RowFactory;
  /** The absolute URL of a page of a listener; in a call, under the host that was called. */
  pageUrl(environment: Environment, path: string): string;
  /** Replaces the host of absolute URLs of this server by the host that was called; undefined if they are the same. */
  readonly calledUrl: ((url: string) => string) | undefined;
  readonly jobs: JobServices;
  /** How many days audit records are kept; 0 keeps them forever. */
  readonly audit: { readonly retention_days: number };
  /** How many days changes of accounts are kept; 0 keeps them forever. */
  readonly history: { readonly retention_days: number };
  readonly auth: AuthServices;
  readonly ads: AdsServices;
  /** Bytes that are too large for the database. */
  readonly objects: ObjectStore;
  readonly media: MediaServices;
  readonly audiences: AudienceServices;
  readonly keywords: Keywords;
  readonly delivery: Delivery;
  /** Shows ads where delivery is `served`. */
  readonly serving: AdServing;
  readonly activity: ActivityServices;
}

/** Background jobs. */
export interface JobServices {
  /** Runs a due job now; resolves when it has ended, even if it failed. */
  runNow(kind: string, key: string): Promise<void>;
}

/** Logins and tokens. */
interface AuthServices {
  readonly bearerTokens: OutstandingBearers;
  readonly loginRules: LoginSettings;
}

/** Accounts and the entities in them. */
interface AdsServices {
  readonly limits: Readonly<Record<LimitName, number>>;
  /** Translates a statistics document into the alias vocabulary, if one is configured. */
  statsWords(pieces: AsyncIterable<string>): AsyncIterable<string>;
  /** The source application of posts created here: HTML. */
  readonly postSource: string;
}

/** Uploads of media. */
export interface MediaServices {
  readonly received: ReceivedFiles;
  /** Reads objects for serving them. */
  readonly reader: ObjectReader;
  /** How long unused objects are kept. @source decision 785 */
  readonly removal_delay_s: number;
  /** The system clock, by which objects age. */
  readonly machineClock: Clock;
  readonly uploadRules: UploadSettings;
  /** Builds the URLs of media. */
  readonly addresses: MediaUrls;
}

/** Custom audiences and their members. */
export interface AudienceServices {
  readonly rules: AudienceSettings;
  /** The members of audiences. */
  readonly members: AudienceMembers;
  /** The directory. */
  readonly directory: DirectoryIndex;
  /** Parses uploads of people. */
  readonly uploads: UploadParser;
}

/** Events, streams and webhooks. */
export interface ActivityServices {
  /** Follows the event log. */
  readonly feed: EventFeed;
  readonly rules: ActivitySettings;
  /** Open streams of this process. */
  readonly streams: Streams;
  /** Limits of applications without overrides. */
  readonly applicationLimits: Readonly<Record<ApplicationLimit, number>>;
  /** Sends HTTP requests to webhooks. */
  readonly sender: Sender;
  readonly webhooks: WebhookReplayer;
  readonly webhookRules: WebhookSettings;
}

/** Ids for a new row, taken before its unit of work begins. */
export interface NewIds {
  readonly row: string;
  /** Of its row in the account history; undefined for resources without history. */
  readonly change: string | undefined;
  /** The additional 64-bit id, for resources that have one. */
  readonly secondary?: string | undefined;
}

/** The actor of a change: the user, the account and the time. */
export interface Actor {
  readonly account: Pick<AccountState, 'id'>;
  readonly principal: Pick<Principal, 'user'>;
  readonly now: string;
}

/** Creates and updates rows on behalf of other operations. */
export interface RowFactory {
  /** Takes the ids for `count` rows. Never call inside a unit of work. */
  takeIds(resource: AnyResource, count: number): Promise<NewIds[]>;
  /** Stores a row and its history; if a row with its unique key exists, returns that one instead. */
  create(tx: WriteTransaction, resource: AnyResource, actor: Actor, values: Input, ids: NewIds): Promise<Row>;
  /** Updates a row of a resource without history. */
  update(tx: WriteTransaction, resource: AnyResource, actor: Actor, before: Row, values: Input): Promise<Row>;
}

/** The context for serializing rows. */
export interface SerializeContext {
  readonly media: MediaUrls;
  /** The absolute URL of a page of the listener that is called. */
  pageUrl(path: string): string;
  readonly tx: ReadTransaction;
  readonly account: AccountState;
  /** UTC text of the current second. */
  readonly now: string;
  /** The parameters of a read; view parameters select how rows are serialized. */
  readonly input?: Input;
}

/** Generates ids, increasing per kind. Never call inside a unit of work. */
export interface Ids {
  /** The next `count` ids of a kind as base-36 text. */
  take(kind: string, start: number, count: number): Promise<string[]>;
  /** The next `count` ids of a kind, as 64-bit decimal numbers of 19 digits. */
  takeLong(kind: string, start: number, count: number): Promise<string[]>;
}

/** Valid parameters: stored values by name, null for an empty parameter. */
export type Input = Readonly<Record<string, StoredValue | null>>;

/** A call that has passed all checks. */
export interface Call {
  readonly services: Services;
  readonly environment: Environment;
  readonly caller: Caller;
  /** The caller, for operations with the credential `user`; not set otherwise. */
  readonly principal: Principal;
  /** The peer address, or the client address that a trusted proxy reports. */
  readonly address: string;
  /** The account in the path; see `AccountCall`. */
  readonly account: AccountState | undefined;
  readonly role: Role | undefined;
  readonly canCompose: boolean;
  /** Path parameters as received, with ids folded to lower case. */
  readonly path: Readonly<Record<string, string>>;
  readonly input: Input;
  /** The parsed body of a JSON endpoint; for `bytes` a `Uint8Array` with its own buffer. */
  readonly body: unknown;
  /** The files of a multipart body, by name; deleted after the call unless the operation adopts them. */
  readonly files: ReadonlyMap<string, ReceivedFile>;
  /** Whether it is a HEAD request. */
  readonly isHead: boolean;
  /** UTC text of the second in which the operation began. */
  readonly now: string;
  /** Stores an audit record in the transaction of the change. */
  readonly recordAudit: RecordAudit;
  /** Records an audit event that has happened, whatever the reply is. */
  audit(event: AuditedEvent): void;
  /**
   * The caller's own rate limit windows, one for each operation that its credential allows: for rates per account the
   * general quota. Reading them does not count.
   */
  rateWindows(): Promise<readonly OperationWindow[]>;
}

/** A call of an operation with `roles`, whose path names an account. */
export interface AccountCall extends Call {
  readonly account: AccountState;
  readonly role: Role;
}

/** The context for serializing the rows of a call. */
export function serializeContext(call: Call, tx: ReadTransaction): SerializeContext {
  const { services, environment, account, now, input } = call;
  const pageUrl = (path: string): string => services.pageUrl(environment, path);
  // Only accounts are serialized without one, and do not read it.
  return { tx, media: services.media.addresses, pageUrl, account: account!, now, input };
}

/** The rate limit window that calls of an operation are charged to. */
export interface OperationWindow extends RateWindow {
  /** Path template of the operation. */
  readonly path: string;
}

/** The result of a call, as JSON text. */
export interface Answer {
  /** 200 by default; otherwise one of the operation's `successes`. */
  readonly status?: number;
  /** Empty when the status is 204. */
  readonly data: string;
  /**
   * The cursor of the next page; null on the last page, undefined for replies that are not lists.
   * @source decision 581
   */
  readonly nextCursor?: string | null;
  readonly totalCount?: number | undefined;
  /** The echo of the request, if it differs from its parameters. */
  readonly request?: string;
  /** The continuation of a reply of shape `stream`; `data` is then empty. */
  readonly flow?: StreamHandle;
  /** Values of the `replyHeaders` of the operation. */
  readonly headers?: Readonly<Record<string, string | number>>;
  /** Makes a hint for developers; called in development mode only, where it is sent as a header. */
  readonly hint?: () => Promise<string | undefined>;
  /** Whether the call used the operation's `deprecatedInput`. */
  readonly usesDeprecated?: boolean;
}

/**
 * The required credential. `user`: a request signed with an access token; `consumer`: one signed without a token;
 * `request-token`: one signed with a request token; `basic`: key and secret of an application; `bearer`: its
 * application-only token; `publisher`: the credential of a publisher, as bearer; the others accept one of two.
 * @source authentication 1.2
 */
export type CredentialKind =
  | 'user'
  | 'consumer'
  | 'request-token'
  | 'basic'
  | 'bearer'
  | 'publisher'
  | 'user-or-bearer'
  | 'owner-or-basic';

/**
 * The form of a reply. `message`: a message in place of data; `form`: `name=value` pairs, as token endpoints reply;
 * `stream`: one JSON text per line, until either side closes.
 */
type Shape = 'one' | 'list' | 'message' | 'batch' | 'bare' | 'form' | 'stream';

/** The declaration of one API operation, which the pipeline, the API descriptions and the tests read. */
export interface Operation {
  /** Unique, as in `campaigns.list`. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path template with `:name` segments. */
  readonly path: string;
  readonly description: string;
  readonly group: string;
  /** The description of the group; omitted if that of its only operation suffices. */
  readonly groupDescription?: string | undefined;
  readonly family: Family;
  /** The only environment that has it; both by default. */
  readonly onlyIn?: Environment | undefined;
  /** The roles on the account in the path that may call it; undefined when the path has no account. */
  readonly roles?: readonly Role[] | undefined;
  /** Also accepts a deleted account. */
  readonly allowsDeletedAccount?: boolean;
  /** `user` by default. */
  readonly credential?: CredentialKind;
  /** The category whose window its calls are charged to. */
  readonly rate: RateName;
  /** The problem when the rate limit is exceeded; RATE_LIMITED by default. */
  readonly rateProblem?: ProblemName;
  /** Whether its calls are served from memory during a database outage. @source decision 1226 */
  readonly toleratesOutages?: boolean;
  /** Revokes its own credential, for which a read-only token suffices. */
  readonly allowsReadOnlyToken?: boolean;
  /** GET works like POST: some clients put all parameters into the query. @source authentication 2.7 */
  readonly allowsGet?: boolean;
  /** The successor of a legacy operation, in the current version. */
  readonly replacedBy?: string | undefined;
  /** Marks the operation as deprecated, which every reply announces. */
  readonly deprecation?: Deprecation;
  /** Marks an input as deprecated, which replies to calls that use it announce. */
  readonly deprecatedInput?: Deprecation;
  /** When a deprecated operation stops working, if decided: UTC text. */
  sunset?(services: Services): string | undefined;
  /** Other paths of the operation. */
  readonly aliases?: readonly string[] | undefined;
  /** Accepted alternative spellings of values, by parameter or member: each with its canonical value. */
  readonly spellings?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Required protocol parameters, for the API descriptions: the authenticator reads them. */
  readonly protocolParameters?: Parameters;
  readonly parameters: Parameters;
  /** Path parameters that are not ids, for the API descriptions. */
  readonly pathParameters?: Parameters | undefined;
  /**
   * `form`: parameters in the query, a form or a JSON object. `object`: in a JSON object only. `members`: in a JSON
   * object with exactly these `bodyMembers`, as in version 2: unknown members are errors. `json`: a JSON body that the
   * operation parses itself. `upload`: like `form`, or a multipart body with some parts as `files`; parts are not
   * signed, so they are read after all checks of the caller. `bytes`: like `json`, but the operation gets the raw
   * bytes.
   * @source decision 30
   */
  readonly body: 'form' | 'object' | 'members' | 'json' | 'upload' | 'bytes';
  /** Size limit of a `bytes` body, and the problem beyond it. */
  readonly bodyBytes?: { readonly max: number; readonly problem: ProblemName };
  /** Additional members of the request echo. */
  readonly extraEcho?: Readonly<Record<string, string | null>> | undefined;
  /** Multipart parts that are files, by name; they are not kept in memory. `isBase64`: the part is base64 text. */
  readonly files?: Readonly<Record<string, { readonly about: string; readonly isBase64: boolean }>>;
  /** Maximum size of a file in bytes. */
  bytesMax?(rules: UploadSettings): number;
  /** Accepts parameters in a form body only. */
  readonly formOnly?: boolean;
  readonly shape: Shape;
  /**
   * JSON Schema of `data` (of the whole body for shape `bare`), or the resource whose rows `data` contains, or the
   * resources that each row may be of.
   */
  readonly reply: Schema | { readonly rowsOf: AnyResource } | { readonly rowOfOne: readonly AnyResource[] };
  /** Headers of successful replies that other operations do not have. */
  readonly replyHeaders?: readonly string[];
  /** Success status; 200 by default. A 204 reply has no body. */
  readonly success?: 200 | 201 | 204;
  /** Additional success statuses, with the JSON Schema of their body; undefined when there is none. */
  readonly successes?: Readonly<Record<number, Schema | undefined>>;
  /** JSON Schema of the body of a JSON endpoint. */
  readonly request?: Schema;
  /** The members of a JSON object body, for the API descriptions; nested members are named with dots. */
  readonly bodyMembers?: Parameters;
  /** Problems of this operation, beyond those of every call. */
  readonly problems: readonly ProblemName[];
  /** Problems of single items of a batch, reported together with status 400. */
  readonly itemProblems?: readonly ProblemName[];
  /** An example call for the API descriptions, where the reply does not depend on the caller. */
  readonly example?: Example;
  /**
   * Errors of combinations of parameters, reported together with errors of single ones; `named` are the names that were
   * sent, including those of invalid values.
   */
  validate?(input: Input, account: AccountState | undefined, named: ReadonlySet<string>): readonly ErrorDetail[];
  perform(call: Call): Promise<Answer>;
}

/** The declaration of an operation on the account in its path. */
export interface AccountOperation extends Operation {
  readonly roles: readonly Role[];
  validate?(input: Input, account: AccountState, named: ReadonlySet<string>): readonly ErrorDetail[];
  perform(call: AccountCall): Promise<Answer>;
}

/** An example call in the API descriptions, and its reply. */
export interface Example {
  /** Parameters as sent by callers, including those of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly answer: (input: Input) => Answer;
}
