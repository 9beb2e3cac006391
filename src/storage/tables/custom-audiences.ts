import { sql } from 'kysely';
import type { Subject } from '../../contract/store/audiences.ts';
import type { CustomAudiences, StoredAudience } from '../../contract/store/custom-audiences.ts';
import { bindList, paddedSize, whereIn } from '../core/in-lists.ts';
import type { Session } from '../core/session.ts';
import type { Value } from '../core/statements.ts';
import { tableRows } from '../core/table-rows.ts';
import { creativeStatus } from './campaign-summaries.ts';

const TABLES = { audience: 'custom_audiences', list: 'do_not_reach_lists' } as const;

function placeOf(subject: Subject): { readonly table: string; readonly id: string } {
  const [kind, id] = subject.split(':') as [keyof typeof TABLES, string];
  return { table: TABLES[kind], id };
}

/** Custom audiences and lists beyond their rows. */
export function customAudiencesOn(session: Session): CustomAudiences {
  const { statements } = session;

  async function find(subject: Subject): Promise<StoredAudience | undefined> {
    const { table, id } = placeOf(subject);
    const statement = statements.cached(`kept ${table}`, (db, param) =>
      db
        .selectFrom(table)
        .innerJoin('accounts', 'accounts.id', `${table}.account_id`)
        .selectAll(table)
        .select('accounts.environment')
        .where(`${table}.id`, '=', param('id')),
    );
    const [row] = await session.all(statement, { id });
    if (!row) return undefined;
    const { account_id, environment, is_processing, is_targetable, size, deleted } = row;
    const standing = { is_processing, is_targetable, size, deleted };
    const { audience_type = 'LIST', segments = null } = row;
    return { subject, id, account_id, environment, audience_type, segments, ...standing };
  }

  async function change(subject: Subject, changes: Readonly<Record<string, Value>>): Promise<void> {
    const { table, id } = placeOf(subject);
    await tableRows(session, table).update(id, changes);
  }

  return {
    find,
    async listUploaded(environment, after, max) {
      const statement = statements.cached('uploaded audiences', (db, param) =>
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
      );
      return (await session.all(statement, { environment, after, max })).map((row) => row.id);
    },
    async listUsable(account, ids) {
      if (ids.length === 0) return [];
      const size = paddedSize(ids.length);
      const statement = statements.cached(`usable audiences ${size}`, (db, param) =>
        whereIn(
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
            .select(sql`coalesce(permission.permission_level, 'READ_WRITE')`.as('permission_level'))
            .where('audience.deleted', '=', sql.lit(0))
            .where((eb) =>
              eb.or([eb('audience.account_id', '=', param('account')), eb('permission.id', 'is not', null)]),
            ),
          'audience.id',
          size,
          param,
        ),
      );
      return session.all(statement, named('audience.id', ids, size, { account }));
    },
    async listBuiltFrom(leaf) {
      const statement = statements.cached('audiences made of', (db, param) =>
        db
          .selectFrom('audience_leaves')
          .innerJoin('custom_audiences', 'custom_audiences.id', 'audience_leaves.flexible_id')
          .select('custom_audiences.id')
          .where('audience_leaves.leaf_id', '=', param('leaf'))
          .where('custom_audiences.deleted', '=', sql.lit(0))
          .orderBy('custom_audiences.id'),
      );
      return (await session.all(statement, { leaf })).map((row) => row.id);
    },
    async listTargeting(account, audience) {
      const statement = statements.cached('line items that target an audience', (db, param) => {
        // Written out one by one, because an index of some rows serves no condition whose value is bound.
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
      return session.all(statement, { account, audience });
    },
    async findSharingAccount(id) {
      const statement = statements.cached('sharing account', (db, param) =>
        db
          .selectFrom('accounts')
          .select(['id', 'environment', 'business_id'])
          .where('id', '=', param('id'))
          .where('deleted', '=', sql.lit(0)),
      );
      return (await session.all(statement, { id }))[0];
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
      const statement = statements.cached('revoke an audience', (db, param) =>
        db
          .updateTable('audience_permissions')
          .set({ deleted: sql.lit(1), one_key: sql.lit(null), updated_at: param('now') })
          .where('audience_id', '=', param('audience'))
          .where('deleted', '=', sql.lit(0)),
      );
      await session.run(statement, { audience, now });
    },
  };
}

function named(
  column: string,
  ids: readonly string[],
  size: number,
  more: Record<string, Value> = {},
): Record<string, Value> {
  const args = { ...more };
  bindList(args, column, ids, size);
  return args;
}
