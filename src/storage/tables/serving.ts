import { sql } from 'kysely';
import type { Environment } from '../../contract/declare/account-state.ts';
import type { SettledAccount } from '../../contract/services/delivery.ts';
import { insertRows } from '../core/bulk-insert.ts';
import { allListed, inList, paddedSize } from '../core/in-lists.ts';
import { isOrphaned } from '../core/orphans.ts';
import { Table } from '../core/table.ts';
import { deleteRows, listRows, updateRows } from '../core/table-rows.ts';

/** Nonces in one statement. */
const CHUNK = 500;

/** A served ad, by which each of its beacons counts once. Times are milliseconds since 1970. */
export interface CountedAd {
  readonly account_id: string;
  /** The nonce of the decision, shared by its two tokens. */
  readonly nonce: string;
  readonly viewed_ms: number;
  readonly clicked_ms: number | null;
  /** When both tokens expire. */
  readonly expires_ms: number;
}

/** A part of a budget that a node may spend. */
export interface BudgetLease {
  readonly account_id: string;
  /** `line_item/ID/total`, `line_item/ID/DATE`, `campaign/…` or `funding_instrument/ID/total`. */
  readonly budget: string;
  readonly node: string;
  readonly amount_local_micro: number;
}

/** The beacons that have counted. Writers hold the delivery cursor of the account. */
export class DeliveryBeacons extends Table {
  /** The given nonces that are known. */
  async list(account: string, nonces: readonly string[]): Promise<CountedAd[]> {
    const found: CountedAd[] = [];
    for (let from = 0; from < nonces.length; from += CHUNK) {
      const some = nonces.slice(from, from + CHUNK);
      const rows = await allListed(this.session, 'delivery beacons', some, { account }, (db, listed, param) =>
        db
          .selectFrom('delivery_beacons')
          .selectAll()
          .where('account_id', '=', param('account'))
          .where((eb) => inList(eb, 'nonce', listed)),
      );
      found.push(...rows);
    }
    return found;
  }

  /** @throws ConstraintViolated when one of them is known */
  add(beacons: readonly CountedAd[]) {
    return insertRows(this.session, 'delivery_beacons', beacons);
  }

  /** Stores when a seen ad was clicked. */
  async click(account_id: string, nonce: string, clicked_ms: number) {
    await updateRows(this.session, 'delivery_beacons', { clicked_ms }, { account_id, nonce });
  }
}

/** Accounts with ads to serve. */
export class Advertisers extends Table {
  /** The accounts of an environment with active line items, by id; or those of them with these ids. */
  async list(environment: Environment, ids?: readonly string[]): Promise<SettledAccount[]> {
    if (ids?.length === 0) return [];
    const size = ids ? paddedSize(ids.length) : 0;
    return this.session.all(`advertisers ${size}`, { environment, ids: ids ?? [] }, (db, param) => {
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
  }
}

const LEASE_KEY = ['account_id', 'budget', 'node'] as const;

/** The parts of budgets that nodes hold. Readers and writers hold the delivery cursor of the account. */
export class BudgetLeases extends Table {
  list(account: string) {
    return listRows(this.session, 'delivery_leases', { account_id: account }, ['budget', 'node']);
  }

  /** Stores leases; those of the same budget and node are replaced. */
  save(leases: readonly BudgetLease[]) {
    return insertRows(this.session, 'delivery_leases', leases, {
      columns: [...LEASE_KEY, 'amount_local_micro'],
      onConflict: { key: LEASE_KEY, replace: ['amount_local_micro'] },
    });
  }

  /** Releases all leases of a node. */
  removeOf(node: string) {
    return deleteRows(this.session, 'delivery_leases', { node });
  }

  /** Releases leases of days before a date, which cannot be spent any more. */
  removeOfDaysBefore(account: string, date: string) {
    return this.session.run('delivery leases of days', { account, date }, (db, param) =>
      db
        .deleteFrom('delivery_leases')
        .where('account_id', '=', param('account'))
        .where('budget', 'like', '%/____-__-__')
        .where(sql<boolean>`substr(budget, length(budget) - 9) < ${param('date')}`),
    );
  }

  /** Releases leases of ended nodes. */
  releaseOrphaned() {
    return this.session.run('delivery leases free orphaned', {}, (db) =>
      db.deleteFrom('delivery_leases').where(isOrphaned('delivery_leases')),
    );
  }
}
