import { sql } from 'kysely';
import type { SettledAccount } from '../../contract/services/delivery.ts';
import type {
  Advertisers,
  BudgetLease,
  BudgetLeases,
  DeliveryBeacons,
  StoredBeacon,
} from '../../contract/store/serving.ts';
import { insertRows } from '../core/bulk-insert.ts';
import { inList, paddedSize } from '../core/in-lists.ts';
import { isOrphaned } from '../core/orphans.ts';
import { removeOldest } from '../core/remove-oldest.ts';
import type { Session } from '../core/session.ts';
import { updateRows } from '../core/table-rows.ts';

/** Nonces in one statement. */
const CHUNK = 500;

/** The beacons that have counted. */
export function deliveryBeaconsOn(session: Session): DeliveryBeacons {
  return {
    async list(account, nonces) {
      const found: StoredBeacon[] = [];
      for (let from = 0; from < nonces.length; from += CHUNK) {
        const some = nonces.slice(from, from + CHUNK);
        const size = paddedSize(some.length);
        const rows = await session.all(`delivery beacons ${size}`, { account, nonces: some }, (db, param) =>
          db
            .selectFrom('delivery_beacons')
            .selectAll()
            .where('account_id', '=', param('account'))
            .where((eb) => inList(eb, 'nonce', param.list('nonces', size))),
        );
        found.push(...rows);
      }
      return found;
    },
    add: (beacons) => insertRows(session, 'delivery_beacons', beacons),
    async click(account_id, nonce, clicked_ms) {
      await updateRows(session, 'delivery_beacons', { clicked_ms }, { account_id, nonce });
    },
    removeExpired: (now_ms, max) =>
      removeOldest(
        session,
        { table: 'delivery_beacons', key: ['account_id', 'nonce'], time: 'expires_ms' },
        now_ms + 1,
        max,
      ),
  };
}

/** The accounts that have something to show. */
export function advertisersOn(session: Session): Advertisers {
  return {
    async list(environment, ids) {
      if (ids?.length === 0) return [];
      const size = ids ? paddedSize(ids.length) : 0;
      const rows = await session.all(`advertisers ${size}`, { environment, ids: ids ?? [] }, (db, param) => {
        let accounts = db
          .selectFrom('accounts')
          .select(['id', 'environment', 'timezone'])
          .where('environment', '=', param('environment'))
          .where('deleted', '=', sql.lit(0))
          .where(
            sql<boolean>`exists (select 1 from line_items where line_items.account_id = accounts.id
              and line_items.deleted = 0 and line_items.entity_status = 'ACTIVE')`,
          );
        if (size > 0) accounts = accounts.where((eb) => inList(eb, 'id', param.list('ids', size)));
        return accounts.orderBy('id');
      });
      return rows as SettledAccount[];
    },
  };
}

const LEASE_KEY = ['account_id', 'budget', 'node'] as const;

/** The parts of budgets that nodes hold. */
export function budgetLeasesOn(session: Session): BudgetLeases {
  return {
    list: (account) =>
      session.all('delivery leases', { account }, (db, param) =>
        db
          .selectFrom('delivery_leases')
          .selectAll()
          .where('account_id', '=', param('account'))
          .orderBy('budget')
          .orderBy('node'),
      ),
    save: (leases) =>
      insertRows(session, 'delivery_leases', leases as BudgetLease[], {
        columns: [...LEASE_KEY, 'amount_local_micro'],
        onConflict: { key: LEASE_KEY, replace: ['amount_local_micro'] },
      }),
    removeOf: (node) =>
      session.run('delivery leases remove', { node }, (db, param) =>
        db.deleteFrom('delivery_leases').where('node', '=', param('node')),
      ),
    removeOfDaysBefore: (account, date) =>
      session.run('delivery leases of days', { account, date }, (db, param) =>
        db
          .deleteFrom('delivery_leases')
          .where('account_id', '=', param('account'))
          .where('budget', 'like', '%/____-__-__')
          .where(sql<boolean>`substr(budget, length(budget) - 9) < ${param('date')}`),
      ),
    releaseOrphaned: () =>
      session.run('delivery leases free orphaned', {}, (db) =>
        db.deleteFrom('delivery_leases').where(isOrphaned('delivery_leases')),
      ),
  };
}
