import { sql } from 'kysely';
import { insertRows } from '../core/bulk-insert.ts';
import { Table } from '../core/table.ts';

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
interface AccountHistoryQuery {
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
export class AccountHistory extends Table {
  append(row: AccountHistoryRow) {
    return insertRows(this.session, 'account_changes', [row]);
  }

  /** Appends many rows in few statements. */
  appendAll(rows: readonly AccountHistoryRow[]) {
    return insertRows(this.session, 'account_changes', rows);
  }

  async page(query: AccountHistoryQuery): Promise<AccountHistoryRow[]> {
    const filters = [query.user && 'user', query.from && 'from', query.until && 'until', query.after && 'after'];
    const args = {
      account: query.account,
      entity: query.entity,
      entity_id: query.entityId,
      user: query.user ?? null,
      from: query.from ?? null,
      until: query.until ?? null,
      after_time: query.after?.change_time ?? null,
      after_id: query.after?.id ?? null,
      limit: query.limit,
    };
    return this.session.all(`changes page ${filters}`, args, (db, param) => {
      let chosen = db
        .selectFrom('account_changes')
        .selectAll()
        .where('account_id', '=', param('account'))
        .where('entity', '=', param('entity'))
        .where('entity_id', '=', param('entity_id'));
      if (query.user) chosen = chosen.where('user_id', '=', param('user'));
      if (query.from) chosen = chosen.where('change_time', '>=', param('from'));
      if (query.until) chosen = chosen.where('change_time', '<', param('until'));
      if (query.after) {
        chosen = chosen.where(sql<boolean>`(change_time, id) < (${param('after_time')}, ${param('after_id')})`);
      }
      return chosen.orderBy('change_time', 'desc').orderBy('id', 'desc').limit(param('limit'));
    });
  }
}
