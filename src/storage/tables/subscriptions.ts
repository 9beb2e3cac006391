import type { Subscriptions } from '../../contract/store/subscriptions.ts';
import { inList, paddedSize } from '../core/in-lists.ts';
import type { Session } from '../core/session.ts';
import type { Db } from '../core/statements.ts';
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

/** Event subscriptions. */
export function subscriptionsOn(session: Session, invalidate: (tag: string) => void): Subscriptions {
  const rows = tableRows(session, 'subscriptions');
  const some = (db: Db) => db.selectFrom('subscriptions').select(COLUMNS);
  return {
    async find(id) {
      return session.first('subscriptions find', { id }, (db, param) => some(db).where('id', '=', param('id')));
    },
    async list(ids) {
      if (ids.length === 0) return [];
      const size = paddedSize(ids.length);
      return session.all(`subscriptions list ${size}`, { ids }, (db, param) =>
        some(db).where((eb) => inList(eb, 'id', param.list('ids', size))),
      );
    },
    async listAll(after, limit) {
      return session.all('subscriptions all', { after, limit }, (db, param) =>
        some(db).where('id', '>', param('after')).orderBy('id').limit(param('limit')),
      );
    },
    async page({ application, user, after, limit }) {
      return session.all(
        `subscriptions page ${user === undefined}`,
        { application, user, after, limit },
        (db, param) => {
          const all = some(db).where('application_id', '=', param('application'));
          const own = user === undefined ? all : all.where('user_id', '=', param('user'));
          return own.where('id', '>', param('after')).orderBy('id').limit(param('limit'));
        },
      );
    },
    async listOfWebhook(webhook, limit) {
      return session.all('subscriptions of webhook', { webhook, limit }, (db, param) =>
        some(db).where('webhook_id', '=', param('webhook')).limit(param('limit')),
      );
    },
    async findDuplicate({ application_id, sense }) {
      return session.first('subscriptions same', { application_id, sense }, (db, param) =>
        some(db).where('application_id', '=', param('application_id')).where('sense', '=', param('sense')),
      );
    },
    async findCount(application, user) {
      const row = await session.first(
        `subscriptions count ${user === undefined}`,
        { application, user },
        (db, param) => {
          const all = db
            .selectFrom('subscriptions')
            .select(({ fn }) => fn.countAll<number>().as('total'))
            .where('application_id', '=', param('application'));
          return user === undefined ? all : all.where('user_id', '=', param('user'));
        },
      );
      return Number(row?.total ?? 0);
    },
    async add(subscription) {
      await rows.insert(subscription);
      invalidate(`subscription:${subscription.id}`);
    },
    async change(id, changes) {
      await rows.update(id, changes);
      invalidate(`subscription:${id}`);
    },
    async remove(ids) {
      if (ids.length === 0) return;
      const size = paddedSize(ids.length);
      await session.run(`subscriptions remove ${size}`, { ids }, (db, param) =>
        db.deleteFrom('subscriptions').where((eb) => inList(eb, 'id', param.list('ids', size))),
      );
      for (const id of ids) invalidate(`subscription:${id}`);
    },
  };
}
