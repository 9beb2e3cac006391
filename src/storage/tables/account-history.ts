import { sql } from 'kysely';
import type { AccountHistory } from '../../contract/store/account-history.ts';
import { insertRows } from '../core/bulk-insert.ts';
import { removeOldest } from '../core/remove-oldest.ts';
import type { Session } from '../core/session.ts';

/** The account history. */
export function accountHistoryOn(session: Session): AccountHistory {
  return {
    append: (row) => insertRows(session, 'account_changes', [row]),
    appendAll: (rows) => insertRows(session, 'account_changes', rows),
    async page(query) {
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
      return session.all(`changes page ${filters}`, args, (db, param) => {
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
    },
    removeBefore: (time, limit) =>
      removeOldest(session, { table: 'account_changes', key: ['account_id', 'id'], time: 'change_time' }, time, limit),
  };
}
