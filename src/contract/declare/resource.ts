import type { ErrorDetail, ProblemName } from '../problems/problems.ts';
import type { MediaUrls } from '../services/media.ts';
import type { ReadTransaction, WriteTransaction } from '../store/store.ts';
import type { Field, StoredValue } from './fields.ts';
import type { Input, SerializeContext, Services } from './operation.ts';
import type { Role } from './roles.ts';

/** The declared fields of a resource, by their one name on the wire, in the code and in the database. */
export type Fields = Readonly<Record<string, Field>>;

type StoredOf<T> = T extends Field<infer S> ? S : never;

/** A row as stored: the declared fields and what every resource carries. */
export type RowOf<F extends Fields> = { readonly [K in keyof F]: StoredOf<F[K]> | null } & StandardColumns;

/** What every stored row carries. Times are UTC texts, `deleted` is 0 or 1. */
export interface StandardColumns {
  readonly id: string;
  readonly account_id: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly deleted: 0 | 1;
}

/** A stored row whose declaration is not known at compile time. */
export type Row = StandardColumns & { readonly [column: string]: StoredValue | null };

/** What a caller may do to a resource. */
export type Verb = 'list' | 'get' | 'create' | 'update' | 'activate' | 'remove';

/** The account that a call acts on, as far as decisions need it. */
export interface AccountState {
  readonly id: string;
  readonly environment: Environment;
  readonly approval_status: string;
  /** IANA name. */
  readonly timezone: string;
  readonly deleted: boolean;
  /** Limits raised for this account alone, by setting name. */
  readonly limits: Readonly<Record<string, number>>;
}

/** The two worlds of the service: accounts and all below them belong to one. */
export type Environment = 'production' | 'sandbox';

/** A change about to be stored: the whole row after it, the row before it, and what a rule may look at. */
export interface Change<R> {
  /** The resource that the row is one of. */
  readonly resource: AnyResource;
  readonly verb: 'create' | 'update' | 'remove';
  readonly after: R;
  /** Undefined on create. */
  readonly before: R | undefined;
  /** The rows that references of `after` point to, by field; those of `before` are not read again. */
  readonly referenced: ReadonlyMap<string, Row>;
  readonly account: AccountState | undefined;
  readonly tx: ReadTransaction;
  readonly author: Author;
  /** Where media is served, and which keys are taken; undefined where no call is made. */
  readonly media: MediaUrls | undefined;
  /** UTC text of the present second. */
  readonly now: string;
}

/** Whoever changes something. */
export interface Author {
  /** Id of the user. */
  readonly user: string;
  /** May write posts that are only promoted, for the user whom the account advertises. */
  readonly canCompose: boolean;
}

/** What a rule finds wrong: one fault, several, or nothing. */
export type RuleResult = ErrorDetail | readonly ErrorDetail[] | undefined;

/** A rule over a change: says what is wrong, or nothing. Rules run after all parameters were read without fault. */
export type Rule<R> = (change: Change<R>) => RuleResult | Promise<RuleResult>;

/** One of the changes of a call, made: `before` is undefined when the row is new, `after` itself when nothing changed. */
export interface AppliedChange<R = Row> {
  readonly before: R | undefined;
  readonly after: R;
}

/** Everything that a call changed, in order, with what may be looked at: the reads see all of it. */
export interface ChangeSet<R> {
  readonly changes: readonly AppliedChange<R>[];
  readonly isBatch: boolean;
  readonly account: AccountState;
  readonly tx: ReadTransaction;
}

/**
 * A rule over everything that a call changed, one row or a whole batch: says what is wrong with which change. It runs
 * once, when all changes are made, whose net effect it judges; the account is locked.
 */
export type ChangeSetRule<R> = (
  whole: ChangeSet<R>,
) => Promise<readonly { readonly index: number; readonly error: ErrorDetail }[]>;

/** What a row that is about to be stored is settled by: everything of the change, and what the caller gave. */
export interface DeriveContext<R> extends Omit<Change<R>, 'after'> {
  readonly input: Readonly<Record<string, StoredValue | null>>;
}

/** A list that is asked for, its parameters good each by itself. */
export interface ListQuery {
  readonly input: Readonly<Record<string, StoredValue | null>>;
  readonly account: AccountState;
  readonly tx: ReadTransaction;
}

/** A limit on how many rows of an account, or of one parent, may be in a state at once. */
export interface Quota<R> {
  /** The rows that count: those not deleted whose columns have these values. */
  readonly where: { readonly [K in keyof R]?: R[K] };
  /** Counts apart for each value of this column; over the whole account when not said. */
  readonly per?: keyof R & string;
  /** The name of the setting that holds the limit, which an account may have raised. */
  readonly setting: LimitName;
  /** What is said beyond the limit; its words are `account`, `max` and the value of `per` as `parent`. */
  readonly problem: ProblemName;
  readonly parameter: string;
}

/** Settings that are limits of an account. */
export type LimitName = 'active_campaigns_max' | 'active_line_items_max' | 'campaign_line_items_max';

/** A write of a row, made: what else belongs to it is stored in the same unit. */
export interface WriteContext<R> {
  readonly verb: 'create' | 'update' | 'remove';
  readonly before: R | undefined;
  readonly after: R;
  readonly account: AccountState;
  readonly tx: WriteTransaction;
  readonly services: Services;
  /** UTC text of the present second. */
  readonly now: string;
}

/** The one of another resource that rows live below, which the path names. */
export interface Parent {
  resource(): AnyResource;
  /** Of the path. */
  readonly parameter: string;
  /** The column of the rows that holds its id: fixed at creation, and no parameter. */
  readonly column: string;
  /** What stands in the way of whatever is done below one. */
  rule?(parent: Row, account: AccountState): ErrorDetail | undefined;
  readonly problems: readonly ProblemName[];
}

/** Rows that accounts grant each other: who was granted one finds it by id, and lists it when that is asked for. */
export interface Sharing {
  /** The table of grants: `granted_account_id`, `deleted`, and the column that names a row. */
  readonly table: string;
  readonly column: string;
  /** Whether a list asks for what others granted, instead of what is the account's own. */
  isRequested(input: Input): boolean;
}

/** Rows of another resource that follow from a write, made in the same unit. */
export interface CascadeCreate<R> {
  /** The plural name of that resource. */
  readonly resource: string;
  /** Only a write that gives one of these fields a value has this consequence; it makes at most one row for each. */
  readonly triggers: readonly (keyof R & string)[];
  /** The rows to make: what their declaration does not fill in by itself. */
  rows(change: Change<R>): readonly Readonly<Record<string, StoredValue | null>>[];
}

/** Fields that are computed when a row is read. */
export interface Computed<R> {
  readonly fields: Fields;
  /** Reads once what a whole page needs; the answer then computes each row. */
  prepare(
    rows: readonly R[],
    context: SerializeContext,
  ): Promise<(row: R) => Readonly<Record<string, StoredValue | null>>>;
}

/** Where long ids begin: they have 19 digits. */
export const LONG_IDS_FROM = 1_650_000_000_000;

/** The key of the work for later that a row brings along. */
export function jobKeyOf({ account_id, id }: Pick<StandardColumns, 'account_id' | 'id'>): string {
  return `${account_id}/${id}`;
}

/** The row that a key of work for later names. */
export function rowOfJob(key: string): { readonly account: string; readonly id: string } {
  const [account = '', id = ''] = key.split('/');
  return { account, id };
}

/** What the reply of a deletion tells of what is there no more. */
export interface HardDeletion {
  /** The fields that it shows; all of them when not said. */
  readonly shows?: readonly string[];
  /** Stored fields that say so. */
  readonly sets?: Readonly<Record<string, StoredValue>>;
  /** What it says beside the fields. */
  readonly adds?: Readonly<Record<string, string>>;
}

/** Which rate category the reads of a resource draw on. */
export type ReadRate = 'account_reads' | 'account_reads_small' | 'reads' | 'global_reads';

/** What a declaration says. */
export interface ResourceSpec<F extends Fields> {
  /** Singular, snake_case: names the id parameter `<name>_id` and the id filter `<name>_ids`. */
  readonly name: string;
  /** Path segment and table name. */
  readonly plural: string;
  /** How messages call one of it. */
  readonly label: string;
  /**
   * What rows go by instead of an id that the service gives: the values of this field, which take the place of ids in
   * paths and replies under this name.
   */
  readonly key?: { readonly name: string; readonly field: Field<string> };
  /** What the id parameters are named after, where that is not the name: `card` makes `card_id` and `card_ids`. */
  readonly idName?: string;
  /** The path below the account, where that is not the plural. */
  readonly path?: string;
  /** The table, where that is not the plural. */
  readonly keptIn?: string;
  /** Paths of a version that was followed by another, in which the same goes by another path below the account. */
  readonly former?: { readonly version: string; readonly now: string };
  readonly parent?: Parent;
  readonly sharing?: Sharing;
  readonly description: string;
  /** `account`: rows live under an account. `user`: the rows are what the user has a role on. */
  readonly scope: 'account' | 'user';
  readonly operations: readonly Verb[];
  /** Verbs that exist in the sandbox only. */
  readonly sandboxOnly?: readonly Verb[];
  readonly roles: { readonly read: readonly Role[]; readonly write: readonly Role[] };
  readonly notFound: ProblemName;
  readonly rate: ReadRate;
  /** Problems that the rules of this resource can raise, for the descriptions; those of quotas need not be said. */
  readonly problems?: readonly ProblemName[];
  /** Those that only creating can raise; that a reference points nowhere need not be said. */
  readonly createProblems?: readonly ProblemName[];
  readonly fields: F;
  /** Parameters of create that are no fields: `settled` makes something of them. */
  readonly creating?: Readonly<Record<string, Field>>;
  /** What follows from the other fields: these values replace those of a row about to be stored. */
  derive?(row: RowOf<F>, change: DeriveContext<RowOf<F>>): Partial<RowOf<F>> | Promise<Partial<RowOf<F>>>;
  readonly rules?: readonly Rule<RowOf<F>>[];
  /** What may stand in the way of a deletion. */
  readonly removal?: { readonly rules: readonly Rule<RowOf<F>>[]; readonly problems: readonly ProblemName[] };
  /** Rows that are deleted with a row: those of a resource, by its plural name, whose column points to it. */
  readonly takesAlong?: { readonly of: string; readonly column: string };
  /** Work for later that each row brings along: done at the time of a field, moved with it, called off with the row. */
  readonly job?: { readonly job: string; readonly at: keyof F & string };
  /** Stores what else belongs to a write, once it is made. */
  afterWrite?(written: WriteContext<RowOf<F>>): Promise<void>;
  readonly quotas?: readonly Quota<RowOf<F>>[];
  readonly cascadeCreate?: readonly CascadeCreate<RowOf<F>>[];
  /** Columns that the storage fills in: read with every row, shown to nobody. */
  readonly storageColumns?: readonly string[];
  /** The reference to the parent: while that is deleted or hidden, rows are hidden like deleted ones. */
  readonly parentField?: keyof F & string;
  readonly changeSetRules?: readonly ChangeSetRule<RowOf<F>>[];
  /**
   * What no two live rows have in common, of what is fixed at creation: a create that has it in common with a row
   * answers with that row.
   */
  onePer?(drafted: RowOf<F>): readonly (StoredValue | null)[];
  /** Fields that such a row takes over from the create. */
  readonly onePerTakes?: readonly (keyof F & string)[];
  /** Parameters of list and get that say how rows are shown. */
  readonly viewParameters?: Readonly<Record<string, Field>>;
  /** Create and update take an object of JSON and nothing else; otherwise parameters in whichever form. */
  readonly body?: 'object';
  /** What is wrong with the parameters of a write together; `named` are those that were sent, unreadable ones too. */
  checkInput?(input: {
    readonly verb: 'create' | 'update';
    readonly input: Readonly<Record<string, StoredValue | null>>;
    readonly named: ReadonlySet<string>;
  }): readonly ErrorDetail[];
  /** Parameters that the echo of a call holds beside those that were given, by verb. */
  readonly echoes?: Readonly<Partial<Record<Verb, Readonly<Record<string, string>>>>>;
  /** An update that gives nothing leaves even the time of change as it was. */
  readonly isUnchangedByNothing?: boolean;
  readonly list?: {
    /** Rows a page, when the caller does not say and at most. */
    readonly count?: { readonly preset: number; readonly max: number };
    /** Parameters that lists have and this one has not. */
    readonly without?: readonly ('ids' | 'sort_by' | 'with_deleted' | 'with_total_count')[];
    /** Further parameters, and which values of which columns they mean, whether they are given or not. */
    readonly extraFilters?: {
      readonly parameters: Readonly<Record<string, Field>>;
      within(asked: ListQuery): Promise<Readonly<Record<string, readonly StoredValue[]>>>;
    };
    /** Another name of the filter by id. */
    readonly idsAlias?: string;
    /** Filters that every list must give. */
    readonly requiredFilters?: readonly string[];
    /** The fields whose words `q` looks for, all of those given, in the column `terms`. */
    readonly terms?: readonly (keyof F & string)[];
    /** The field that `q` searches by case-insensitive prefix. */
    readonly search?: keyof F & string;
    /** `q` may have at most this many characters. */
    readonly searchMax?: number;
    /** What is wrong with a list beyond its parameters; `raises` names its problems. */
    rule?(asked: ListQuery): Promise<ErrorDetail | undefined>;
    readonly problems?: readonly ProblemName[];
    /** Sort keys that stand for a field. */
    readonly sortAliases?: Readonly<Record<string, keyof F & string>>;
    /** Sort keys kept for old clients, whose value is always null. */
    readonly nullSortKeys?: readonly string[];
    /** Rows with this value are hidden unless `with_draft=true`. */
    readonly drafts?: { readonly field: keyof F & string; readonly value: string };
  };
  /** `creating`: parameters that only creates of a batch have; `raises`: problems that they bring along. */
  readonly batch?: {
    readonly max: number;
    readonly creating?: Readonly<Record<string, Field>>;
    readonly problems?: readonly ProblemName[];
  };
  /** Rows are kept in memory until they change: many rows of others point to few of these. */
  readonly cached?: boolean;
  readonly computed?: Computed<RowOf<F>>;
  /** The entity type under which changes are recorded, if they are. */
  readonly historyEntity?: string;
  /** The first id ever given is just above this number; it fixes how long ids look. */
  readonly idsFrom: number;
  /** The sequence that ids are taken from, where several resources share one; the name when not said. */
  readonly sequence?: string;
  /** A long id that every new row gets beside its own: of this sequence, in this column, as this text. */
  readonly alsoNumbered?: { readonly sequence: string; readonly column: keyof F & string; as(number: string): string };
  /** Ids are decimal numbers of 64 bits; `idsFrom`, then LONG_IDS_FROM, is about their upper 43 bits. */
  readonly longIds?: boolean;
  /** A deleted row leaves nothing behind; when not said, it stays and is told to be deleted. */
  readonly hardDeletion?: HardDeletion;
  /** Replies do not say whether a row is deleted: there is only what is not. */
  readonly neverTellsDeleted?: boolean;
}

/** A declared resource: the specification with what follows from it. */
export interface Resource<F extends Fields = Fields> extends ResourceSpec<F> {
  readonly idParameter: string;
  readonly idsParameter: string;
  readonly table: string;
}

/** Declares a resource. */
export function resource<const F extends Fields>(spec: ResourceSpec<F>): Resource<F> {
  const { key, idName = spec.name, plural, keptIn: table = plural } = spec;
  return { ...spec, idParameter: key?.name ?? `${idName}_id`, idsParameter: `${idName}_ids`, table };
}

/** A resource whose fields are not known at compile time, as the engine and the storage see it. */
// biome-ignore lint/suspicious/noExplicitAny: the engine treats rows of every declaration alike
export type AnyResource = Resource<any>;

/** Rule: when both amounts are set, the first is at most the second. */
export function atMost<K extends string>(
  smaller: K,
  larger: K,
  message: string,
): Rule<{ readonly [P in K]: number | null }> {
  return ({ after }) => {
    const [low, high] = [after[smaller], after[larger]];
    return low !== null && high !== null && low > high
      ? { problem: 'INVALID', attribute: smaller, words: { message } }
      : undefined;
  };
}

/** Rule: nothing goes back to a value that it has left. */
export function neverBackTo<K extends string>(
  name: K,
  value: string,
  message: string,
): Rule<{ readonly [P in K]: string | null }> {
  return ({ before, after }) =>
    before && after[name] === value && before[name] !== value
      ? { problem: 'INVALID', attribute: name, words: { message } }
      : undefined;
}
