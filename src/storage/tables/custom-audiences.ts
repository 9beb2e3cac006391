import { type RawBuilder, sql } from 'kysely';
import type { Subject } from '../../contract/store/audiences.ts';
import type {
  CustomAudiences,
  PermissionLevel,
  ReportedState,
  StoredAudience,
} from '../../contract/store/custom-audiences.ts';
import { inList, paddedSize } from '../core/in-lists.ts';
import type { Session } from '../core/session.ts';
import { tableRows, updateRows } from '../core/table-rows.ts';
import { creativeStatus } from './campaign-summaries.ts';

const TABLES = { audience: 'custom_audiences', list: 'do_not_reach_lists' } as const;

function placeOf(subject: Subject): { readonly table: (typeof TABLES)[keyof typeof TABLES]; readonly id: string } {
  const [kind, id] = subject.split(':') as [keyof typeof TABLES, string];
  return { table: TABLES[kind], id };
}

/** Whether an audience is built from a live one of another account that its owner is no longer granted. */
function isWithdrawn(): RawBuilder<0 | 1> {
  return sql`case when exists (select 1 from audience_leaves as part
    join custom_audiences as leaf on leaf.id = part.leaf_id and leaf.deleted = 0
    where part.flexible_id = audience.id and leaf.account_id <> audience.account_id
      and not exists (select 1 from audience_permissions as held where held.audience_id = leaf.id
        and held.granted_account_id = audience.account_id and held.deleted = 0)) then 1 else 0 end`;
}

/** Custom audiences and do-not-reach lists, as far as generic records do not cover them. */
export function customAudiencesOn(session: Session): CustomAudiences {
  async function find(subject: Subject): Promise<StoredAudience | undefined> {
    const { table, id } = placeOf(subject);
    if (table === 'custom_audiences') {
      const row = await session.first('custom_audiences kept', { id }, (db, param) =>
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
    const row = await session.first('do_not_reach_lists kept', { id }, (db, param) =>
      db
        .selectFrom('do_not_reach_lists as list')
        .innerJoin('accounts', 'accounts.id', 'list.account_id')
        .select(['list.id', 'list.account_id', 'accounts.environment'])
        .select(['list.is_processing', 'list.is_targetable', 'list.size', 'list.deleted'])
        .where('list.id', '=', param('id')),
    );
    return row && { subject, ...row, audience_type: 'LIST', segments: null };
  }

  async function change(subject: Subject, changes: Partial<ReportedState> & { updated_at?: string }): Promise<void> {
    const { table, id } = placeOf(subject);
    await updateRows(session, table, changes, { id });
  }

  return {
    find,
    async listUploaded(environment, after, max) {
      return (
        await session.all('uploaded audiences', { environment, after, max }, (db, param) =>
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
    },
    async listUsable(account, ids) {
      if (ids.length === 0) return [];
      const size = paddedSize(ids.length);
      return session.all(`usable audiences ${size}`, { account, ids }, (db, param) =>
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
          .select(sql<PermissionLevel>`coalesce(permission.permission_level, 'READ_WRITE')`.as('permission_level'))
          .where('audience.deleted', '=', sql.lit(0))
          .where((eb) => eb.or([eb('audience.account_id', '=', param('account')), eb('permission.id', 'is not', null)]))
          .where((eb) => inList(eb, 'audience.id', param.list('ids', size))),
      );
    },
    async listLive(ids) {
      if (ids.length === 0) return [];
      const size = paddedSize(ids.length);
      return session.all(`live audiences ${size}`, { ids }, (db, param) =>
        db
          .selectFrom('custom_audiences')
          .select(['id', 'is_targetable'])
          .where('deleted', '=', sql.lit(0))
          .where((eb) => inList(eb, 'id', param.list('ids', size))),
      );
    },
    async findLiveList(account) {
      const row = await session.first('live do_not_reach_list', { account }, (db, param) =>
        db
          .selectFrom('do_not_reach_lists')
          .select('id')
          .where('account_id', '=', param('account'))
          .where('deleted', '=', sql.lit(0)),
      );
      return row?.id;
    },
    async listBuiltFrom(leaf) {
      return (
        await session.all('audiences made of', { leaf }, (db, param) =>
          db
            .selectFrom('audience_leaves')
            .innerJoin('custom_audiences', 'custom_audiences.id', 'audience_leaves.flexible_id')
            .select('custom_audiences.id')
            .where('audience_leaves.leaf_id', '=', param('leaf'))
            .where('custom_audiences.deleted', '=', sql.lit(0))
            .orderBy('custom_audiences.id'),
        )
      ).map((row) => row.id);
    },
    async listTargeting(account, audience) {
      return session.all('line items that target an audience', { account, audience }, (db, param) => {
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
    },
    async findSharingAccount(id) {
      return session.first('sharing account', { id }, (db, param) =>
        db
          .selectFrom('accounts')
          .select(['id', 'environment', 'business_id'])
          .where('id', '=', param('id'))
          .where('deleted', '=', sql.lit(0)),
      );
    },
    async addLeaves(flexible, leaves) {
      const rows = tableRows(session, 'audience_leaves');
      for (const leaf of leaves) await rows.insert({ flexible_id: flexible, leaf_id: leaf });
    },
    beginProcessing: (subject) => change(subject, { is_processing: 1 }),
    async settle(subject, { is_processing, is_targetable, size }, now) {
      const before = await find(subject);
      if (!before) return;
      const isNews =
        before.is_targetable !== is_targetable ||
        before.size !== size ||
        (!is_targetable && before.is_processing !== is_processing);
      await change(subject, { is_processing, is_targetable, size, ...(isNews ? { updated_at: now } : {}) });
    },
    async revokeAll(audience, now) {
      await session.run('revoke an audience', { audience, now }, (db, param) =>
        db
          .updateTable('audience_permissions')
          .set({ deleted: sql.lit(1), one_key: sql.lit(null), updated_at: param('now') })
          .where('audience_id', '=', param('audience'))
          .where('deleted', '=', sql.lit(0)),
      );
    },
  };
}
