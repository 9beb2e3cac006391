import type { TSchema } from 'typebox';
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { ErrorDetail, Family, ProblemName } from '../problems/problems.ts';
import type { Blobs, ReceivedFile } from '../services/blobs.ts';
import type { Keywords } from '../services/keywords.ts';
import type { MediaUrls } from '../services/media.ts';
import type { Sender } from '../services/sending.ts';
import type { StreamHandle, Streams } from '../services/streams.ts';
import type { AudienceMembers, AudienceSettings, UploadParser } from '../store/audiences.ts';
import type { AuditedEvent, RecordAudit } from '../store/audit.ts';
import type { AccessLevel } from '../store/credentials.ts';
import type { DirectoryIndex } from '../store/directory.ts';
import type { Activity, ActivitySettings } from '../store/events.ts';
import type { LoginSettings, OutstandingBearers } from '../store/grants.ts';
import type { ReadTransaction, Store, WriteTransaction } from '../store/store.ts';
import type { UploadSettings } from '../store/uploads.ts';
import type { WebhookRunner, WebhookSettings } from '../store/webhooks.ts';
import type { ApplicationLimit } from './application-limits.ts';
import type { Caller } from './callers.ts';
import type { Deprecation } from './deprecations.ts';
import type { Field, StoredValue } from './fields.ts';
import type { AccountState, AnyResource, Environment, LimitName, ReadRate, Row } from './resource.ts';
import type { Role } from './roles.ts';

/** Parameters of a call by name. */
export type Parameters = Readonly<Record<string, Field>>;

/** The user and application behind a signed request. */
export interface Principal {
  readonly kind: 'user';
  readonly user: string;
  readonly application: string;
  readonly tokenId: string;
  readonly token: string;
  /** Level of the token. */
  readonly level: AccessLevel;
  readonly applicationLevel: AccessLevel;
}

/** What the composition root gives to every call: what all features share, then a group for each feature. */
export interface Services {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  /** Unpredictable even in development mode: for secrets. */
  readonly secrets: Random;
  readonly box: SecretBox;
  readonly ids: Ids;
  /** Every declared resource, by its plural name. */
  readonly resources: ReadonlyMap<string, AnyResource>;
  /** Serializes rows of a resource as replies do: one JSON text each. */
  show(resource: AnyResource, rows: readonly Row[], context: SerializeContext): Promise<string[]>;
  readonly making: RowFactory;
  /** The absolute URL of a page of a listener. */
  pageUrl(environment: Environment, path: string): string;
  readonly jobs: JobServices;
  readonly audit: {
    /** How many days audit records are kept; 0 keeps them for good. */
    readonly retention_days: number;
  };
  readonly auth: AuthServices;
  readonly ads: AdsServices;
  readonly media: MediaServices;
  readonly audiences: AudienceServices;
  readonly keywords: Keywords;
  readonly activity: ActivityServices;
}

/** Background jobs. */
export interface JobServices {
  /** Runs a due job now; resolves when it has ended, even if it failed. */
  runNow(kind: string, key: string): Promise<void>;
}

/** Logins and tokens. */
export interface AuthServices {
  readonly bearerTokens: OutstandingBearers;
  readonly loginRules: LoginSettings;
}

/** Accounts and what is in them. */
export interface AdsServices {
  readonly limits: Readonly<Record<LimitName, number>>;
  /** The application that posts made here name as their source: HTML. */
  readonly postSource: string;
}

/** Uploads of media. */
export interface MediaServices {
  readonly blobs: Blobs;
  readonly uploadRules: UploadSettings;
  /** Where media is served. */
  readonly addresses: MediaUrls;
}

/** Custom audiences, and the people in them. */
export interface AudienceServices {
  readonly rules: AudienceSettings;
  /** Who is in which audience. */
  readonly members: AudienceMembers;
  /** The people of the platform. */
  readonly directory: DirectoryIndex;
  /** Parses uploads of people. */
  readonly uploads: UploadParser;
}

/** Events, streams and webhooks. */
export interface ActivityServices {
  /** The event log. */
  readonly events: Activity;
  readonly rules: ActivitySettings;
  /** Open streams of this process. */
  readonly streams: Streams;
  /** Limits of an application for which an operator has set no others. */
  readonly applicationLimits: Readonly<Record<ApplicationLimit, number>>;
  /** Sends HTTP requests to webhooks. */
  readonly sender: Sender;
  readonly webhooks: WebhookRunner;
  readonly webhookRules: WebhookSettings;
}

/** The ids that a new row uses up, taken before its unit of work began. */
export interface NewIds {
  readonly row: string;
  readonly change: string;
  /** The long id beside its own, where rows have one. */
  readonly secondary?: string;
}

/** Who changes rows, on which account and when. */
export interface Actor {
  readonly account: Pick<AccountState, 'id'> | undefined;
  readonly principal: Pick<Principal, 'user'>;
  readonly now: string;
}

/** Creates and updates rows on behalf of other calls. */
export interface RowFactory {
  /** Takes the ids of `count` rows. Never called inside a unit of work. */
  takeIds(resource: AnyResource, count: number): Promise<NewIds[]>;
  /** Stores a row and its place in the history; where there may be one and it is there already, that one is the answer. */
  create(tx: WriteTransaction, resource: AnyResource, occasion: Actor, values: Input, ids: NewIds): Promise<Row>;
  /** Changes values of a row of a resource that keeps no history. */
  update(tx: WriteTransaction, resource: AnyResource, occasion: Actor, before: Row, values: Input): Promise<Row>;
}

/** What serializing a row can read. */
export interface SerializeContext {
  readonly media: MediaUrls;
  readonly tx: ReadTransaction;
  readonly account: AccountState | undefined;
  /** UTC text of the present second. */
  readonly now: string;
  /** The parameters of a read, some of which say how rows are shown. */
  readonly input?: Input;
}

/** Hands out ids, ever growing per kind. Never called inside a unit of work. */
export interface Ids {
  /** The next `count` ids of a kind as base-36 text. */
  take(kind: string, start: number, count: number): Promise<string[]>;
  /** The next `count` ids of a kind that are decimal numbers of 64 bits, 19 digits long. */
  takeLong(kind: string, start: number, count: number): Promise<string[]>;
}

/** Valid parameters: stored values by name, null for an empty one. */
export type Input = Readonly<Record<string, StoredValue | null>>;

/** One call, ready to be performed. */
export interface Call {
  readonly services: Services;
  readonly environment: Environment;
  readonly caller: Caller;
  /** The caller, where the operation asks for the credential of a user; elsewhere it is not there. */
  readonly principal: Principal;
  /** The address of the peer, or the one that a trusted proxy tells. */
  readonly address: string;
  /** The account named in the path. */
  readonly account: AccountState | undefined;
  readonly role: Role | undefined;
  readonly canCompose: boolean;
  /** Path parameters as given, ids folded to lower case. */
  readonly path: Readonly<Record<string, string>>;
  readonly input: Input;
  /** The parsed body of a JSON endpoint; a `Uint8Array` of its own memory where the body is `bytes`. */
  readonly body: unknown;
  /** The files that came in a body of parts, by name; thrown away after the call unless it takes them. */
  readonly files: ReadonlyMap<string, ReceivedFile>;
  /** A HEAD request. */
  readonly isHead: boolean;
  /** UTC text of the second in which the call was authenticated. */
  readonly now: string;
  /** Stores an audit record in the transaction of the change. */
  readonly recordAudit: RecordAudit;
  /** Records an audit event that has happened, whatever the reply is. */
  audit(noted: AuditedEvent): void;
  /** The windows of the caller, one for each operation that its credential is good for. Looking takes nothing. */
  rateWindows(): readonly RateWindow[];
}

/** The context for serializing the rows of a call. */
export function serializeContext({ services, account, now, input }: Call, tx: ReadTransaction): SerializeContext {
  return { tx, media: services.media.addresses, account, now, input };
}

/** The state of a rate limit window. `reset` is in Unix seconds; a window opens with its first call. */
export interface RateWindow {
  /** Path template of the operation. */
  readonly path: string;
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
}

/** What a call answers with, all JSON text. */
export interface Answer {
  /** 200 when not said; else one of `successes` of the operation. */
  readonly status?: number;
  /** Empty when the status is 204. */
  readonly data: string;
  /** The cursor of the next page; undefined for replies that are not lists. */
  readonly nextCursor?: string | null;
  readonly totalCount?: number;
  /** The echo of the request, when it is not simply its parameters. */
  readonly request?: string;
  /** What goes on after the head, for shape `stream`; `data` is then empty. */
  readonly flow?: StreamHandle;
  /** The call made use of the `deprecatedInput` of its operation. */
  readonly usesDeprecated?: boolean;
}

/**
 * What a caller must present: `user` a request signed with an access token; `consumer` one signed without a token;
 * `request-token` one signed with a request token; `basic` key and secret of an application; `bearer` its application-only token; the others one of two.
 * @source authentication gaps 1.2
 */
export type CredentialKind =
  | 'user'
  | 'consumer'
  | 'request-token'
  | 'basic'
  | 'bearer'
  | 'user-or-bearer'
  | 'owner-or-basic';

/**
 * How a reply of an operation is shaped. `told`: a message in place of data; `form`: `name=value` pairs, as the token steps answer; `stream`: a line each, for as long as it is read.
 */
export type Shape = 'one' | 'list' | 'message' | 'batch' | 'bare' | 'form' | 'stream';

/** One thing that the interface can do: what the pipeline, the descriptions and the tests read. */
export interface Operation {
  /** Unique, as in `campaigns.list`. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path template with `:name` segments. */
  readonly path: string;
  readonly description: string;
  readonly group: string;
  /** What the group is about; for a group of one, what it does says enough. */
  readonly groupDescription?: string;
  readonly family: Family;
  /** Exists in this environment only; in both when undefined. */
  readonly onlyIn?: Environment;
  /** Roles on the account of the path that may call; undefined when the path names no account. */
  readonly roles?: readonly Role[];
  /** A deleted account may still be named. */
  readonly allowsDeletedAccount?: boolean;
  /** `user` when not said. */
  readonly credential?: CredentialKind;
  readonly rate: RateName;
  /** What is said when a window of calls is used up, when it is not RATE_LIMITED. */
  readonly rateProblem?: ProblemName;
  /** A step of the token protocol: a token of level read may take it. */
  readonly isTokenStep?: boolean;
  /** GET does the same as POST: some clients put everything into the query. @source authentication gaps 2.7 */
  readonly allowsGet?: boolean;
  /** What takes its place in the current version, of which it is none. */
  readonly replacedBy?: string;
  /** The operation itself is deprecated: every reply of it says so. */
  readonly deprecation?: Deprecation;
  /** Something that callers may still give and that is deprecated: replies to those who do say so. */
  readonly deprecatedInput?: Deprecation;
  /** From when on a deprecated operation answers no more, where that was decided: UTC text. */
  sunset?(services: Services): string | undefined;
  /** Other paths of the same operation. */
  readonly aliases?: readonly string[];
  /** Protocol parameters that the operation needs, for the descriptions: they are read with the credential. */
  readonly protocolParameters?: Parameters;
  readonly parameters: Parameters;
  /** What stands in the path and is no id, for the descriptions. */
  readonly pathParameters?: Parameters;
  /**
   * `form`: parameters in the query, a form or an object of JSON. `object`: in an object of JSON and nowhere else.
   * `members`: in an object of JSON of exactly these `bodyMembers`, as version 2 has it: unknown members are errors.
   * `json`: a JSON body that the operation reads itself. `upload`: as `form`, and the body may have parts instead, of
   * which some are `files`; parts are not signed, so that they are read after all checks of the caller.
   * `bytes`: as `json`, and the operation is given the bytes as they came.
   */
  readonly body: 'form' | 'object' | 'members' | 'json' | 'upload' | 'bytes';
  /** How many bytes a body of kind `bytes` may have, and what is said of more. */
  readonly bodyBytes?: { readonly max: number; readonly problem: ProblemName };
  /** What the echo of a call holds beside path and parameters. */
  readonly extraEcho?: Readonly<Record<string, string | null>>;
  /** Parts that are files, which do not stay in memory, by name. `isBase64`: text that says the bytes. */
  readonly files?: Readonly<Record<string, { readonly about: string; readonly isBase64: boolean }>>;
  /** How many bytes a file may have. */
  bytesMax?(rules: UploadSettings): number;
  /** Parameters are read from a form body and nowhere else. */
  readonly formOnly?: boolean;
  readonly shape: Shape;
  /**
   * JSON Schema of `data` (or of the whole body for shape `bare`), or the resource of which `data` shows rows, or the
   * resources of one of which each row is.
   */
  readonly reply: TSchema | { readonly rowsOf: AnyResource } | { readonly rowOfOne: readonly AnyResource[] };
  /** The status of success, when it is not 200. A reply of 204 has no body. */
  readonly success?: 200 | 201 | 204;
  /** Further statuses of success, with the JSON Schema of their body; none when the reply has no body. */
  readonly successes?: Readonly<Record<number, TSchema | undefined>>;
  /** JSON Schema of the body of a JSON endpoint. */
  readonly request?: TSchema;
  /** The members of that body, where it is an object, for the descriptions; members of members with a dot between. */
  readonly bodyMembers?: Parameters;
  /** Problems that this operation itself can raise, beyond those of every call. */
  readonly problems: readonly ProblemName[];
  /** Problems of single items of a batch: they are answered together, with status 400. */
  readonly itemProblems?: readonly ProblemName[];
  /** A call as the descriptions show it, where nothing in the reply depends on who asks. */
  readonly example?: Example;
  /**
   * What is wrong with parameters together, answered with what is wrong with each; `named` are those that were sent,
   * unreadable ones too.
   */
  validate?(input: Input, account: AccountState | undefined, named: ReadonlySet<string>): readonly ErrorDetail[];
  perform(call: Call): Promise<Answer>;
}

/** A call that the descriptions show, and what it is answered with. */
export interface Example {
  /** Parameters as callers write them, those of the path among them. */
  readonly params: Readonly<Record<string, string>>;
  readonly answer: (input: Input) => Answer;
}

/** The rate categories, each a row in the table of limits. @source campaigns 3.2 */
export type RateName =
  | ReadRate
  | 'lookups'
  | 'keyword_insights'
  | 'writes'
  | 'revocations'
  | 'request_tokens'
  | 'access_tokens'
  | 'bearer_tokens'
  | 'bearer_revocations'
  | 'activity_streams'
  | 'connections'
  | 'connections_all'
  | 'own_profile'
  | 'profiles'
  | 'media_uploads'
  | 'audience_uploads'
  | 'subscriptions'
  | 'profile_updates'
  | 'messages'
  | 'webhooks'
  | 'replays';
