import type { ReadTransaction } from '../../storage/unit-of-work.ts';
import type { ErrorDetail, ProblemName } from '../problems/problems.ts';
import type { AccountState } from './account-state.ts';
import type { Field, StoredValue } from './fields.ts';
import type { Input, SerializeContext } from './operation.ts';
import type { ReadRate } from './rates.ts';
import type { Role } from './roles.ts';
import type { Change, ChangeSetRule, DeriveContext, Rule, WriteContext } from './rules.ts';

/** The declared fields of a resource, by their name, which is the same in requests, code and database. */
export type Fields = Readonly<Record<string, Field>>;

type StoredOf<T> = T extends Field<infer S> ? S : never;

/** A stored row: the declared fields and the standard columns. */
export type RowOf<F extends Fields> = { readonly [K in keyof F]: StoredOf<F[K]> | null } & StandardColumns;

/** The columns of every stored row. Times are UTC texts, `deleted` is 0 or 1. */
export type StandardColumns = {
  readonly id: string;
  readonly account_id: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly deleted: 0 | 1;
};

/** A stored row whose declaration is not known at compile time. */
export type Row = StandardColumns & { readonly [column: string]: StoredValue | null };

/** An operation on a resource. */
export type Verb = 'list' | 'get' | 'create' | 'update' | 'activate' | 'remove';

/** A list request whose parameters are individually valid. */
export interface ListQuery {
  readonly input: Readonly<Record<string, StoredValue | null>>;
  readonly account: AccountState;
  readonly tx: ReadTransaction;
}

/** A limit on the number of rows of an account, or of one parent, in a certain state. */
export interface Quota<R> {
  /** The rows that count: live rows whose columns have these values. */
  readonly where: { readonly [K in keyof R]?: R[K] };
  /** Counts separately per value of this column; for the whole account by default. */
  readonly per?: keyof R & string;
  /** The setting with the limit, which may be raised for an account. */
  readonly setting: LimitName;
  /** The error beyond the limit, with the placeholders `account`, `max` and `parent` (the value of `per`). */
  readonly problem: ProblemName;
  readonly parameter: string;
}

/** Settings that are limits of an account. */
export type LimitName = 'active_campaigns_max' | 'active_line_items_max' | 'campaign_line_items_max';

/** The parent of rows: a row of another resource, identified in the path. */
interface Parent {
  resource(): AnyResource;
  /** The path parameter with its id. */
  readonly parameter: string;
  /** The column of the rows with its id: set on creation, and no parameter. */
  readonly column: string;
  /** Checked on every call below a parent: an error when the call is not allowed. */
  rule?(parent: Row, account: AccountState): ErrorDetail | undefined;
  readonly problems: readonly ProblemName[];
}

/** Rows that accounts share: the grantee can get them by id, and list them on request. */
interface Sharing {
  /** The table of grants: `granted_account_id`, `deleted`, and the column that names a row. */
  readonly table: string;
  readonly column: string;
  /** Whether a list is of rows granted by other accounts, instead of the account's own. */
  isRequested(input: Input): boolean;
}

/** Rows of another resource that a write creates in the same transaction. */
export interface CascadeCreate<R> {
  /** The plural name of that resource. */
  readonly resource: string;
  /** The fields that trigger it when a write sets them; at most one row is created for each. */
  readonly triggers: readonly (keyof R & string)[];
  /** The rows to create; columns that are left out get their defaults. */
  rows(change: Change<R>): readonly Readonly<Record<string, StoredValue | null>>[];
}

/** Fields computed when a row is read; they have no column. */
export interface Computed<R> {
  readonly fields: Fields;
  /** Reads what a whole page needs, once; returns the function that computes the fields of one row. */
  prepare(
    rows: readonly R[],
    context: SerializeContext,
  ): Promise<(row: R) => Readonly<Record<string, StoredValue | null>>>;
}

/** Start of the sequences of long ids, which makes them 19 digits long. */
export const LONG_IDS_FROM = 1_650_000_000_000;

/** The job key of a row: `<account>/<id>`. */
export function jobKeyOf({ account_id, id }: Pick<StandardColumns, 'account_id' | 'id'>): string {
  return `${account_id}/${id}`;
}

/** The account and id in the job key of a row. */
export function rowOfJob(key: string): { readonly account: string; readonly id: string } {
  const [account = '', id = ''] = key.split('/');
  return { account, id };
}

/** The reply to a hard deletion. */
interface HardDeletion {
  /** The fields in the reply; all by default. */
  readonly fields?: readonly string[];
  /** Values of the deleted row that differ in the reply. */
  readonly values?: Readonly<Record<string, StoredValue>>;
  /** Further members of the reply. */
  readonly extraMembers?: Readonly<Record<string, string>>;
}

/** How ids are generated. */
interface IdRules<R> {
  /** Ids start just above this number, which determines their length. */
  readonly from: number;
  /** The sequence of ids, when several resources share one; the name by default. */
  readonly sequence?: string;
  /** Ids are 64-bit decimal numbers; `from`, then LONG_IDS_FROM, applies to their upper 43 bits. */
  readonly isLong?: boolean;
  /** A second, 64-bit id of each new row: its sequence, its column, and how it is formatted. */
  readonly secondary?: { readonly sequence: string; readonly column: keyof R & string; as(number: string): string };
}

/**
 * A key that is unique among live rows, built from immutable fields. A create with an existing key returns that row.
 */
interface Unique<R> {
  key(drafted: R): readonly (StoredValue | null)[];
  /** Fields of the existing row that such a create updates. */
  readonly updates?: readonly (keyof R & string)[];
}

/** How rows are deleted; by default they stay, marked as deleted. */
interface Deletion<R> {
  /** Rules that a deletion must pass, and their errors. */
  readonly rules?: readonly Rule<R>[];
  readonly problems?: readonly ProblemName[];
  /** Rows of another resource (by plural name) that are deleted with a row, by the column that references it. */
  readonly dependents?: { readonly of: string; readonly column: string };
  /** Rows are removed when they are deleted. */
  readonly hard?: HardDeletion;
  /** Replies have no `deleted` member: deleted rows are never shown. */
  readonly omitsFlag?: boolean;
}

/** Side effects of a write, in the same unit of work. */
interface Effects<R> {
  readonly cascades?: readonly CascadeCreate<R>[];
  /** The job of each row: runs at the time in a field, is rescheduled with it, and canceled when the row is deleted. */
  readonly job?: { readonly job: string; readonly at: keyof R & string };
  /** Runs last. */
  afterWrite?(written: WriteContext<R>): Promise<void>;
}

/** How requests are parsed, and parameters that are not fields. */
export interface RequestRules {
  /** `object`: create and update take a JSON object only; by default, parameters in any form. */
  readonly body?: 'object';
  /** Parameters of create that are not fields: inputs of `derive`. */
  readonly createParameters?: Readonly<Record<string, Field>>;
  /** Parameters of list and get that select how rows are serialized. */
  readonly viewParameters?: Readonly<Record<string, Field>>;
  /** Errors of combinations of parameters; `named` are the names that were sent, including those of invalid values. */
  validate?(input: {
    readonly verb: 'create' | 'update';
    readonly input: Readonly<Record<string, StoredValue | null>>;
    readonly named: ReadonlySet<string>;
  }): readonly ErrorDetail[];
  /** Parameters added to the echo of the request, by verb. */
  readonly echoes?: Readonly<Partial<Record<Verb, Readonly<Record<string, string>>>>>;
  /** Whether an update without parameters leaves `updated_at` unchanged. */
  readonly ignoresEmptyUpdate?: boolean;
}

/** Where and how rows are stored. */
interface RowStorage {
  /** The table, if it differs from the plural. */
  readonly table?: string;
  /** Rows are cached until they change, for resources that are read far more often than changed. @source decision 858 */
  readonly isCached?: boolean;
  /** Columns maintained by the storage: read with every row, never in replies. */
  readonly extraColumns?: readonly string[];
}

/** The declaration of a resource. */
export interface ResourceSpec<F extends Fields> {
  /** Singular, snake_case: names the id parameter `<name>_id` and the id filter `<name>_ids`. */
  readonly name: string;
  /** Path segment and table name. */
  readonly plural: string;
  /** Its name in error messages, such as `Line item`. */
  readonly label: string;
  /** A natural key instead of an id: the values of this field stand for ids in paths and replies, under this name. */
  readonly key?: { readonly name: string; readonly field: Field<string> };
  /** The name in the id parameters, if it differs: `card` makes `card_id` and `card_ids`. */
  readonly idName?: string;
  /** The path below the account, if it differs from the plural. */
  readonly path?: string;
  /** Paths of a former version in which the resource has another path below the account. */
  readonly legacy?: { readonly version: string; readonly now: string } | undefined;
  readonly parent?: Parent;
  readonly sharing?: Sharing;
  readonly description: string;
  /** `account`: rows belong to an account. `user`: the rows on which the user has a role. */
  readonly scope: 'account' | 'user';
  readonly operations: readonly Verb[];
  /** Verbs that exist in the sandbox only. */
  readonly sandboxOnly?: readonly Verb[];
  readonly roles: { readonly read: readonly Role[]; readonly write: readonly Role[] };
  readonly notFound: ProblemName;
  /** The rate category that its reads draw on. */
  readonly rate: ReadRate;
  /** Errors of its rules, for the API description; errors of quotas are added automatically. */
  readonly problems?: readonly ProblemName[];
  /** Errors of creates only; errors of references are added automatically. */
  readonly createProblems?: readonly ProblemName[];
  /** Errors of updates only. */
  readonly updateProblems?: readonly ProblemName[];
  readonly fields: F;
  /** Values derived from other fields or parameters; they replace those of the row before it is stored. */
  derive?(row: RowOf<F>, change: DeriveContext<RowOf<F>>): Partial<RowOf<F>> | Promise<Partial<RowOf<F>>>;
  readonly rules?: readonly Rule<RowOf<F>>[];
  readonly deletion?: Deletion<RowOf<F>>;
  readonly effects?: Effects<RowOf<F>>;
  readonly quotas?: readonly Quota<RowOf<F>>[];
  /** The reference to the parent; while the parent is deleted or hidden, rows are hidden like deleted ones. */
  readonly parentField?: keyof F & string;
  readonly changeSetRules?: readonly ChangeSetRule<RowOf<F>>[];
  readonly unique?: Unique<RowOf<F>>;
  readonly requests?: RequestRules;
  /** The calls before which the delivery of the account is settled: all, or changes only if replies show no delivery. */
  readonly settlesDelivery?: 'always' | 'before-changes';
  readonly list?: {
    /** Rows per page: default and maximum. */
    readonly count?: { readonly preset: number; readonly max: number };
    /** Standard list parameters that this list does not have. */
    readonly without?: readonly ('ids' | 'sort_by' | 'with_deleted' | 'with_total_count')[];
    /** Additional parameters, and the column values that they select; called without them too. */
    readonly extraFilters?: {
      readonly parameters: Readonly<Record<string, Field>>;
      within(asked: ListQuery): Promise<Readonly<Record<string, readonly StoredValue[]>>>;
    };
    /** Alias of the filter by id. */
    readonly idsAlias?: string;
    /** Required filters. */
    readonly requiredFilters?: readonly string[];
    /** The fields that `q` searches by word (all words must match), in the column `terms`. */
    readonly terms?: readonly (keyof F & string)[];
    /** The field that `q` searches by case-insensitive prefix. */
    readonly search?: keyof F & string;
    /** Maximum length of `q`, in characters. */
    readonly searchMax?: number;
    /** An error of the list as a whole, one of `problems`. */
    rule?(asked: ListQuery): Promise<ErrorDetail | undefined>;
    readonly problems?: readonly ProblemName[];
    /** Aliases of sort keys: alias -> field. */
    readonly sortAliases?: Readonly<Record<string, keyof F & string>>;
    /** Sort keys accepted for compatibility; their value is always null. */
    readonly nullSortKeys?: readonly string[];
    /** Rows with this value are hidden unless `with_draft=true`. */
    readonly drafts?: { readonly field: keyof F & string; readonly value: string };
  };
  /** `creating`: parameters of creates in batches only; `problems`: their errors. */
  readonly batch?: {
    readonly max: number;
    readonly creating?: Readonly<Record<string, Field>>;
    readonly problems?: readonly ProblemName[];
  };
  readonly storage?: RowStorage;
  readonly computed?: Computed<RowOf<F>>;
  /** The entity type in the change history; no history by default. */
  readonly historyEntity?: string;
  readonly ids: IdRules<RowOf<F>>;
}

/** A declared resource: the specification and the names derived from it. */
export interface Resource<F extends Fields = Fields> extends ResourceSpec<F> {
  readonly idParameter: string;
  readonly idsParameter: string;
  readonly table: string;
}

/** Declares a resource. */
export function resource<const F extends Fields>(spec: ResourceSpec<F>): Resource<F> {
  const { key, idName = spec.name, plural, storage } = spec;
  const idParameter = key?.name ?? `${idName}_id`;
  return { ...spec, idParameter, idsParameter: `${idName}_ids`, table: storage?.table ?? plural };
}

/** A resource whose fields are not known at compile time, as engine and storage see it. */
// biome-ignore lint/suspicious/noExplicitAny: the engine treats rows of every declaration alike
export type AnyResource = Resource<any>;

/** The resource whose deletion hides rows of this one, if there is one. */
export function hidingParent({ parentField, fields }: AnyResource): AnyResource | undefined {
  if (parentField === undefined) return undefined;
  return (fields as Fields)[parentField]!.target!() as AnyResource;
}
