import type { Subscriptions } from '../../contract/store/subscriptions.ts';
import { addValues, among, type Builder, sizeFor } from '../core/lists.ts';
import { rowsOn } from '../core/rows.ts';
import type { Session } from '../core/session.ts';
import type { Argument, Queries, Value } from '../core/statements.ts';

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
  const rows = rowsOn(session, 'subscriptions');
  const some = (queries: Queries): Builder => queries.selectFrom('subscriptions').select(COLUMNS);
  const ofApplication = (start: Builder, argument: Argument, hasUser: boolean): Builder => {
    const all = start.where('application_id', '=', argument('application'));
    return hasUser ? all.where('user_id', '=', argument('user')) : all;
  };
  return {
    async find(id) {
      const statement = statements.of('subscriptions find', (queries, argument) =>
        some(queries).where('id', '=', argument('id')),
      );
      return (await session.all(statement, { id }))[0];
    },
    async list(ids) {
      if (ids.length === 0) return [];
      const size = sizeFor(ids.length);
      const statement = statements.of(`subscriptions list ${size}`, (queries, argument) =>
        among(some(queries), 'id', size, argument),
      );
      const args: Record<string, Value> = {};
      addValues(args, 'id', ids, size);
      return session.all(statement, args);
    },
    async listAll(after, limit) {
      const statement = statements.of('subscriptions all', (queries, argument) =>
        some(queries).where('id', '>', argument('after')).orderBy('id').limit(argument('limit')),
      );
      return session.all(statement, { after, limit });
    },
    async page({ application, user, after, limit }) {
      const statement = statements.of(`subscriptions page ${user === undefined}`, (queries, argument) =>
        ofApplication(some(queries), argument, user !== undefined)
          .where('id', '>', argument('after'))
          .orderBy('id')
          .limit(argument('limit')),
      );
      return session.all(statement, { application, ...(user !== undefined && { user }), after, limit });
    },
    async listOfWebhook(webhook, limit) {
      const statement = statements.of('subscriptions of webhook', (queries, argument) =>
        some(queries).where('webhook_id', '=', argument('webhook')).limit(argument('limit')),
      );
      return session.all(statement, { webhook, limit });
    },
    async findSame({ application_id, sense }) {
      const statement = statements.of('subscriptions same', (queries, argument) =>
        some(queries).where('application_id', '=', argument('application_id')).where('sense', '=', argument('sense')),
      );
      return (await session.all(statement, { application_id, sense }))[0];
    },
    async findCount(application, user) {
      const statement = statements.of(`subscriptions count ${user === undefined}`, (queries, argument) =>
        ofApplication(queries.selectFrom('subscriptions'), argument, user !== undefined).select(({ fn }: Builder) =>
          fn.countAll().as('total'),
        ),
      );
      return Number((await session.all(statement, { application, ...(user !== undefined && { user }) }))[0].total);
    },
    async add(subscription) {
      await rows.add(subscription);
      touch(`subscription:${subscription.id}`);
    },
    async change(id, changes) {
      await rows.change(id, changes);
      touch(`subscription:${id}`);
    },
    async remove(ids) {
      if (ids.length === 0) return;
      const size = sizeFor(ids.length);
      const statement = statements.of(`subscriptions remove ${size}`, (queries, argument) =>
        among(queries.deleteFrom('subscriptions'), 'id', size, argument),
      );
      const args: Record<string, Value> = {};
      addValues(args, 'id', ids, size);
      await session.run(statement, args);
      for (const id of ids) touch(`subscription:${id}`);
    },
  };
}
