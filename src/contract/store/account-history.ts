/** One recorded change of an entity. Times are UTC texts, `changes` and `entity_data` are JSON texts. */
export interface AccountHistoryRow {
  readonly id: string;
  readonly account_id: string;
  readonly entity: string;
  readonly entity_id: string;
  readonly change_type: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly change_time: string;
  readonly user_id: string;
  readonly platform: string;
  readonly changes: string;
  readonly entity_data: string;
}

/**
 * Filters of changes, listed newest first. `from` is inclusive, `until` exclusive; `after` is the last row of the
 * previous page.
 * @source decision 53
 */
export interface AccountHistoryQuery {
  readonly account: string;
  readonly entity: string;
  readonly entityId: string;
  readonly user: string | undefined;
  readonly from: string | undefined;
  readonly until: string | undefined;
  readonly after: { readonly change_time: string; readonly id: string } | undefined;
  readonly limit: number;
}

/** The account history. @source campaigns 5.4 */
export interface AccountHistory {
  append(row: AccountHistoryRow): Promise<void>;
  /** Appends many rows in few statements. */
  appendAll(rows: readonly AccountHistoryRow[]): Promise<void>;
  page(query: AccountHistoryQuery): Promise<AccountHistoryRow[]>;
  /** Removes at most `limit` changes before a time; returns how many. */
  removeBefore(time: string, limit: number): Promise<number>;
}
