import type { AnyResource, Fields, Resource, Row, RowOf } from '../declare/resource.ts';

/** Whether a read includes deleted rows; every read must specify it. */
export type Deleted = 'hidden' | 'shown';

/** A list query. Values are stored values; conditions are combined with AND. */
export interface PageQuery {
  /** The account of the rows; undefined for resources of scope `user`. */
  readonly account: string | undefined;
  /** The user on whose accounts the rows are, for resources of scope `user`. */
  readonly member?: { readonly user: string; readonly environment: string } | undefined;
  /** The account that the rows were granted to, for shared resources. */
  readonly grantee?: string;
  readonly deleted: Deleted;
  /** Column -> accepted values; an empty list matches nothing. */
  readonly within: Readonly<Record<string, readonly (string | number)[]>>;
  /** Excludes rows whose column has this value. */
  readonly without?: { readonly column: string; readonly value: string } | undefined;
  /** Prefix of a folded search column, folded. */
  readonly prefix?: { readonly column: string; readonly text: string } | undefined;
  /** Folded words that must all occur in the column `terms`. */
  readonly terms?: readonly string[] | undefined;
  /**
   * Sort keys in order, ending with the id, so that the order is total. Nulls come last in both directions.
   * @source decision 42
   */
  readonly sort: readonly SortKey[];
  /** The sort values of the last row of the previous page. */
  readonly after?: readonly (string | number | null)[] | undefined;
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
  count(resource: AnyResource, query: Conditions): Promise<number>;
  /** The number of rows for each combination of values of these columns; combinations without rows are absent. */
  tally(resource: AnyResource, query: Conditions, by: readonly string[]): Promise<Tally[]>;
}

/** New values by column. */
export type ColumnValues = Readonly<Record<string, string | number | null>>;

/** Writes of resource rows. */
export interface RecordsWriting extends RecordsReading {
  insert(resource: AnyResource, row: Row): Promise<void>;
  /** Inserts rows with the same columns, many in one statement. */
  insertAll(resource: AnyResource, rows: readonly Row[]): Promise<void>;
  update(resource: AnyResource, key: RowKey, changes: ColumnValues): Promise<void>;
  /** Applies the same changes to several rows of an account. */
  updateAll(resource: AnyResource, account: string, ids: readonly string[], changes: ColumnValues): Promise<void>;
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
