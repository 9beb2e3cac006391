import { type RawBuilder, sql } from 'kysely';
import type { Environment } from '../../contract/declare/account-state.ts';
import type { Subject } from '../../contract/store/audiences.ts';
import type { ReportedState, StoredAudience } from '../../contract/store/custom-audiences.ts';
import { insertRows } from '../core/bulk-insert.ts';
import { allListed, inList } from '../core/in-lists.ts';
import { Table } from '../core/table.ts';
import { updateRows } from '../core/table-rows.ts';
import { creativeStatus } from './campaign-summaries.ts';

const TABLES = { audience: 'custom_audiences', list: 'do_not_reach_lists' } as const;

function placeOf(subject: Subject): { readonly table: (typeof TABLES)[keyof typeof TABLES]; readonly id: string } {
  const [kind, id] = subject.split(':') as [keyof typeof TABLES, string];
  return { table: TABLES[kind], id };
}

/** Whether an audience is built from a live one of another account that its owner is no longer granted. @source decision 261 */
function isWithdrawn(): RawBuilder<0 | 1> {
  return sql`case when exists (select 1 from audience_leaves as part
    join custom_audiences as leaf on leaf.id = part.leaf_id and leaf.deleted = 0
    where part.flexible_id = audience.id and leaf.account_id <> audience.account_id
      and not exists (select 1 from audience_permissions as held where held.audience_id = leaf.id
        and held.granted_account_id = audience.account_id and held.deleted = 0)) then 1 else 0 end`;
}

/**
 * Custom audiences and lists beyond their rows: their state, their grants, and the audiences that flexible ones are
 * built from.
 */
export class CustomAudiences extends Table {
  /**
   * Up to `max` audiences of an environment that have members of their own, after `after`, in an arbitrary stable
   * order.
   */
  async listUploaded(environment: Environment, after: string, max: number) {
    return (
      await this.session.all('uploaded audiences', { environment, after, max }, (db, param) =>
        db
          .selectFrom('custom_audiences as audience')
          .innerJoin('accounts', 'accounts.id', 'audience.account_id')
          .select('audience.id')
          .where('accounts.environment', '=', param('environment'))
          .where('audience.id', '>', param('after'))
          .where('audience.segments', 'is', null)
          .where('audience.deleted', '=', sql.lit(0))
          .orderBy('audience.id')
          .limit(param('max')),
      )
    ).map((row) => row.id);
  }

  /** An audience or a list, deleted or not. */
  async find(subject: Subject): Promise<StoredAudience | undefined> {
    const { table, id } = placeOf(subject);
    if (table === 'custom_audiences') {
      const row = await this.session.first('custom_audiences kept', { id }, (db, param) =>
        db
          .selectFrom('custom_audiences as audience')
          .innerJoin('accounts', 'accounts.id', 'audience.account_id')
          .select(['audience.id', 'audience.account_id', 'accounts.environment', 'audience.audience_type'])
          .select(['audience.segments', 'audience.is_processing', 'audience.is_targetable', 'audience.size'])
          .select('audience.deleted')
          .where('audience.id', '=', param('id')),
      );
      return row && { subject, ...row };
    }
    const row = await this.session.first('do_not_reach_lists kept', { id }, (db, param) =>
      db
        .selectFrom('do_not_reach_lists as list')
        .innerJoin('accounts', 'accounts.id', 'list.account_id')
        .select(['list.id', 'list.account_id', 'accounts.environment'])
        .select(['list.is_processing', 'list.is_targetable', 'list.size', 'list.deleted'])
        .where('list.id', '=', param('id')),
    );
    return row && { subject, ...row, audience_type: 'LIST', segments: null };
  }

  /** The live audiences among these ids that the account owns, with READ_WRITE, or was granted, unordered. */
  listUsable(account: string, ids: readonly string[]) {
    return allListed(this.session, 'usable audiences', ids, { account }, (db, ids, param) =>
      db
        .selectFrom('custom_audiences as audience')
        .leftJoin('audience_permissions as permission', (join) =>
          join
            .onRef('permission.audience_id', '=', 'audience.id')
            .on('permission.granted_account_id', '=', param('account'))
            .on('permission.deleted', '=', sql.lit(0)),
        )
        .select(['audience.id', 'audience.name', 'audience.account_id as owner_account_id'])
        .select(['audience.audience_type', 'audience.is_targetable'])
        .select(isWithdrawn().as('is_withdrawn'))
        .select(
          sql<'READ_ONLY' | 'READ_WRITE'>`coalesce(permission.permission_level, 'READ_WRITE')`.as('permission_level'),
        )
        .where('audience.deleted', '=', sql.lit(0))
        .where((eb) => eb.or([eb('audience.account_id', '=', param('account')), eb('permission.id', 'is not', null)]))
        .where((eb) => inList(eb, 'audience.id', ids)),
    );
  }

  /** The live audiences among these ids, of whatever account, unordered. */
  listLive(ids: readonly string[]) {
    return allListed(this.session, 'live audiences', ids, {}, (db, ids) =>
      db
        .selectFrom('custom_audiences')
        .select(['id', 'is_targetable'])
        .where('deleted', '=', sql.lit(0))
        .where((eb) => inList(eb, 'id', ids)),
    );
  }

  /** The live do-not-reach list of an account: its id. */
  async findLiveList(account: string) {
    const row = await this.session.first('live do_not_reach_list', { account }, (db, param) =>
      db
        .selectFrom('do_not_reach_lists')
        .select('id')
        .where('account_id', '=', param('account'))
        .where('deleted', '=', sql.lit(0)),
    );
    return row?.id;
  }

  /** Ids of the live flexible audiences with this audience as a leaf. */
  async listBuiltFrom(leaf: string) {
    return (
      await this.session.all('audiences made of', { leaf }, (db, param) =>
        db
          .selectFrom('audience_leaves')
          .innerJoin('custom_audiences', 'custom_audiences.id', 'audience_leaves.flexible_id')
          .select('custom_audiences.id')
          .where('audience_leaves.leaf_id', '=', param('leaf'))
          .where('custom_audiences.deleted', '=', sql.lit(0))
          .orderBy('custom_audiences.id'),
      )
    ).map((row) => row.id);
  }

  /** Live line items of an account with a live criterion that includes or excludes an audience or its lookalikes. */
  listTargeting(account: string, audience: string) {
    return this.session.all('line items that target an audience', { account, audience }, (db, param) => {
      // Literals, because a partial index serves no bound condition.
      const of = (type: string) =>
        db
          .selectFrom('targeting_criteria')
          .select('line_item_id')
          .where('account_id', '=', param('account'))
          .where('targeting_value', '=', param('audience'))
          .where('targeting_type', '=', sql.lit(type))
          .where('deleted', '=', sql.lit(0));
      return db
        .selectFrom('line_items')
        .select(['id', creativeStatus().as('creative')])
        .where('account_id', '=', param('account'))
        .where('deleted', '=', sql.lit(0))
        .where('id', 'in', of('CUSTOM_AUDIENCE').union(of('CUSTOM_AUDIENCE_EXPANDED')));
    });
  }

  /** Finds a live account. */
  findSharingAccount(id: string) {
    return this.session.first('sharing account', { id }, (db, param) =>
      db
        .selectFrom('accounts')
        .select(['id', 'environment', 'business_id'])
        .where('id', '=', param('id'))
        .where('deleted', '=', sql.lit(0)),
    );
  }

  /** Stores the audiences that a flexible audience is built from. */
  async addLeaves(flexible: string, leaves: readonly string[]) {
    const rows = leaves.map((leaf_id) => ({ flexible_id: flexible, leaf_id }));
    await insertRows(this.session, 'audience_leaves', rows);
  }

  /** Marks a subject as processing, after an upload. The rest of its state stays. */
  beginProcessing(subject: Subject) {
    return this.#change(subject, { is_processing: 1 });
  }

  /** Stores the state. `updated_at` changes only when the state reported to callers does. */
  async storeState(subject: Subject, { is_processing, is_targetable, size }: ReportedState, now: string) {
    const before = await this.find(subject);
    if (!before) return;
    const isNews =
      before.is_targetable !== is_targetable ||
      before.size !== size ||
      (!is_targetable && before.is_processing !== is_processing);
    await this.#change(subject, { is_processing, is_targetable, size, ...(isNews ? { updated_at: now } : {}) });
  }

  /** Revokes every grant of an audience. */
  async revokeAll(audience: string, now: string) {
    await this.session.run('revoke an audience', { audience, now }, (db, param) =>
      db
        .updateTable('audience_permissions')
        .set({ deleted: sql.lit(1), one_key: sql.lit(null), updated_at: param('now') })
        .where('audience_id', '=', param('audience'))
        .where('deleted', '=', sql.lit(0)),
    );
  }

  async #change(subject: Subject, changes: Partial<ReportedState> & { updated_at?: string }): Promise<void> {
    const { table, id } = placeOf(subject);
    await updateRows(this.session, table, changes, { id });
  }
}
