import type { Subscriptions } from '../../contract/store/subscriptions.ts';
import { type Builder, bindList, paddedSize, whereIn } from '../core/in-lists.ts';
import type { Session } from '../core/session.ts';
import type { Param, QueryBuilder, Value } from '../core/statements.ts';
import { tableRows } from '../core/table-rows.ts';

const COLUMNS = [
  'id',
  'application_id',
  'user_id',
  'event_type',
  'filter',
  'filter_user_id',
  'filter_keyword',
  'filter_direction',
  'tag',
  'webhook_id',
  'since_position',
  'created_at',
  'updated_at',
] as const;

/** Subscriptions to events. */
export function subscriptionsOn(session: Session, touch: (tag: string) => void): Subscriptions {
  const { statements } = session;
  const rows = tableRows(session, 'subscriptions');
  const some = (db: QueryBuilder): Builder => db.selectFrom('subscriptions').select(COLUMNS);
  const ofApplication = (start: Builder, param: Param, hasUser: boolean): Builder => {
    const all = start.where('application_id', '=', param('application'));
    return hasUser ? all.where('user_id', '=', param('user')) : all;
  };
  return {
    async find(id) {
      const statement = statements.cached('subscriptions find', (db, param) => some(db).where('id', '=', param('id')));
      return (await session.all(statement, { id }))[0];
    },
    async list(ids) {
      if (ids.length === 0) return [];
      const size = paddedSize(ids.length);
      const statement = statements.cached(`subscriptions list ${size}`, (db, param) =>
        whereIn(some(db), 'id', size, param),
      );
      const args: Record<string, Value> = {};
      bindList(args, 'id', ids, size);
      return session.all(statement, args);
    },
    async listAll(after, limit) {
      const statement = statements.cached('subscriptions all', (db, param) =>
        some(db).where('id', '>', param('after')).orderBy('id').limit(param('limit')),
      );
      return session.all(statement, { after, limit });
    },
    async page({ application, user, after, limit }) {
      const statement = statements.cached(`subscriptions page ${user === undefined}`, (db, param) =>
        ofApplication(some(db), param, user !== undefined)
          .where('id', '>', param('after'))
          .orderBy('id')
          .limit(param('limit')),
      );
      return session.all(statement, { application, ...(user !== undefined && { user }), after, limit });
    },
    async listOfWebhook(webhook, limit) {
      const statement = statements.cached('subscriptions of webhook', (db, param) =>
        some(db).where('webhook_id', '=', param('webhook')).limit(param('limit')),
      );
      return session.all(statement, { webhook, limit });
    },
    async findDuplicate({ application_id, sense }) {
      const statement = statements.cached('subscriptions same', (db, param) =>
        some(db).where('application_id', '=', param('application_id')).where('sense', '=', param('sense')),
      );
      return (await session.all(statement, { application_id, sense }))[0];
    },
    async findCount(application, user) {
      const statement = statements.cached(`subscriptions count ${user === undefined}`, (db, param) =>
        ofApplication(db.selectFrom('subscriptions'), param, user !== undefined).select(({ fn }: Builder) =>
          fn.countAll().as('total'),
        ),
      );
      return Number((await session.all(statement, { application, ...(user !== undefined && { user }) }))[0].total);
    },
    async add(subscription) {
      await rows.insert(subscription);
      touch(`subscription:${subscription.id}`);
    },
    async change(id, changes) {
      await rows.update(id, changes);
      touch(`subscription:${id}`);
    },
    async remove(ids) {
      if (ids.length === 0) return;
      const size = paddedSize(ids.length);
      const statement = statements.cached(`subscriptions remove ${size}`, (db, param) =>
        whereIn(db.deleteFrom('subscriptions'), 'id', size, param),
      );
      const args: Record<string, Value> = {};
      bindList(args, 'id', ids, size);
      await session.run(statement, args);
      for (const id of ids) touch(`subscription:${id}`);
    },
  };
}
