import { type ExpressionBuilder, sql } from 'kysely';
import type { Replays, WebhookDeliveries, WebhookDelivery, Webhooks } from '../../contract/store/webhooks.ts';
import { insertRows } from '../core/bulk-insert.ts';
import type { Database } from '../core/database.ts';
import { databaseTime } from '../core/database-time.ts';
import { inList, paddedSize } from '../core/in-lists.ts';
import { removeOldest } from '../core/remove-oldest.ts';
import type { Session } from '../core/session.ts';
import type { Db, Param } from '../core/statements.ts';
import { tableRows } from '../core/table-rows.ts';

/** Without the columns of its lease. */
const WEBHOOK_COLUMNS = [
  'id',
  'application_id',
  'url',
  'url_form',
  'valid',
  'created_at',
  'validated_at',
  'failing_since',
  'failure',
  'secret',
  'former_secret',
  'former_until',
] as const;

/** Webhooks. */
export function webhooksOn(session: Session, invalidate: (tag: string) => void): Webhooks {
  const rows = tableRows(session, 'webhooks');
  const some = (db: Db) => db.selectFrom('webhooks').select(WEBHOOK_COLUMNS);
  const find = (id: string) =>
    session.first('webhooks find', { id }, (db, param) => some(db).where('id', '=', param('id')));
  const lock = (id: string) =>
    session.first('webhooks lock', { id }, (db, param) => some(db).where('id', '=', param('id')).forUpdate());
  return {
    find,
    // SQLite has one writer at a time; PostgreSQL needs a row lock.
    lock: session.dialect === 'sqlite' ? find : lock,
    async list(application) {
      return session.all('webhooks list', { application }, (db, param) =>
        some(db).where('application_id', '=', param('application')).orderBy('id'),
      );
    },
    async listAll(after, limit) {
      return session.all('webhooks all', { after, limit }, (db, param) =>
        some(db).where('id', '>', param('after')).orderBy('id').limit(param('limit')),
      );
    },
    async add(webhook, settled_position) {
      await rows.insert({ ...webhook, settled_position });
      await session.run('webhooks free', { id: webhook.id }, (db, param) =>
        db
          .updateTable('webhooks')
          .set({ leased_until: databaseTime(session.dialect, sql.lit(0)) })
          .where('id', '=', param('id')),
      );
      invalidate(`webhook:${webhook.id}`);
    },
    async change(id, changes) {
      await rows.update(id, changes);
      invalidate(`webhook:${id}`);
    },
    async remove(id) {
      await session.run('webhooks remove', { id }, (db, param) =>
        db.deleteFrom('webhooks').where('id', '=', param('id')),
      );
      invalidate(`webhook:${id}`);
    },
  };
}

const COLUMNS = [
  'webhook_id',
  'position',
  'message_id',
  'subscription_id',
  'event_type',
  'body',
  'state',
  'tries',
  'tries_before',
  'next_at',
  'created_at',
] as const;

/** A delivery as the port declares it: its tries are stored as JSON text. */
function deliveryOf<Row extends { readonly tries: string }>(
  row: Row,
): Omit<Row, 'tries'> & Pick<WebhookDelivery, 'tries'> {
  return { ...row, tries: JSON.parse(row.tries) };
}

type DeliveriesBuilder = ExpressionBuilder<Database, 'webhook_deliveries'>;

/** Webhook deliveries. */
export function webhookDeliveriesOn(session: Session): WebhookDeliveries {
  const some = (db: Db) => db.selectFrom('webhook_deliveries').select(COLUMNS);
  const isOf = (param: Param<{ readonly webhook: string }>) => (eb: DeliveriesBuilder) =>
    eb('webhook_id', '=', param('webhook'));

  return {
    async find({ webhook_id, position, message_id }) {
      const row = await session.first(
        'webhook deliveries find',
        { webhook: webhook_id, position, message: message_id },
        (db, param) =>
          some(db)
            .where(isOf(param))
            .where('position', '=', param('position'))
            .where('message_id', '=', param('message')),
      );
      return row && deliveryOf(row);
    },
    async page({ webhook, state, after, limit }) {
      const args = {
        webhook,
        limit,
        state,
        position: after?.position,
        message: after?.message_id,
      };
      return (
        await session.all(`webhook deliveries page ${[state && 'state', after && 'after']}`, args, (db, param) => {
          let chosen = some(db).where(isOf(param));
          if (state) chosen = chosen.where('state', '=', param('state'));
          if (after) {
            const place = sql<boolean>`(position, message_id) < (${param('position')}, ${param('message')})`;
            chosen = chosen.where(place);
          }
          return chosen.orderBy('position', 'desc').orderBy('message_id', 'desc').limit(param('limit'));
        })
      ).map(deliveryOf);
    },
    async listDue(webhook, now, limit) {
      return (
        await session.all('webhook deliveries due', { webhook, now, limit }, (db, param) =>
          some(db)
            .where(isOf(param))
            .where('state', '=', sql.lit('pending'))
            .where('next_at', '<=', param('now'))
            .orderBy('next_at')
            .orderBy('position')
            .orderBy('message_id')
            .limit(param('limit')),
        )
      ).map(deliveryOf);
    },
    async findNext(webhook, after) {
      return (
        (
          await session.first('webhook deliveries next', { webhook, after }, (db, param) =>
            db
              .selectFrom('webhook_deliveries')
              .where(isOf(param))
              .where('state', '=', sql.lit('pending'))
              .where('next_at', '>', param('after'))
              .select(sql<string | null>`min(next_at)`.as('next')),
          )
        )?.next ?? undefined
      );
    },
    async listWaiting() {
      return session.all('webhook deliveries waiting', {}, (db) =>
        db
          .selectFrom('webhook_deliveries')
          .where('state', '=', sql.lit('pending'))
          .select(['webhook_id', sql<string>`min(next_at)`.as('next_at')])
          .groupBy('webhook_id'),
      );
    },
    async bringForward(now, after) {
      await session.run('webhook deliveries bring forward', { now, after }, (db, param) =>
        db
          .updateTable('webhook_deliveries')
          .set({ next_at: param('now') })
          .where('state', '=', sql.lit('pending'))
          .where('next_at', '>', param('after')),
      );
    },
    async listMessagesAfter(webhooks, position) {
      if (webhooks.length === 0) return [];
      const size = paddedSize(webhooks.length);
      return session.all(`webhook deliveries after ${size}`, { webhooks, position }, (db, param) =>
        db
          .selectFrom('webhook_deliveries')
          .select(['webhook_id', 'message_id'])
          .where((eb) => inList(eb, 'webhook_id', param.list('webhooks', size)))
          .where('position', '>', param('position')),
      );
    },
    async putAll(deliveries) {
      const rows = deliveries.map((delivery) => ({ ...delivery, tries: JSON.stringify(delivery.tries) }));
      await insertRows(session, 'webhook_deliveries', rows, {
        columns: COLUMNS,
        onConflict: {
          key: ['webhook_id', 'position', 'message_id'],
          replace: ['state', 'tries', 'tries_before', 'next_at'],
        },
      });
    },
    async giveUp(webhook) {
      await session.run('webhook deliveries give up', { webhook }, (db, param) =>
        db
          .updateTable('webhook_deliveries')
          .where(isOf(param))
          .where('state', '=', sql.lit('pending'))
          .set({ state: sql.lit('failed'), next_at: sql.lit(null) }),
      );
    },
    async removeUpTo(position, limit) {
      return session.run('webhook deliveries remove', { position, limit }, (db, param) => {
        const keys = ['webhook_id', 'position', 'message_id'] as const;
        const old = db
          .selectFrom('webhook_deliveries')
          .select(keys)
          .where('position', '<=', param('position'))
          .where('state', '!=', sql.lit('pending'))
          .orderBy('position')
          .limit(param('limit'));
        const key = sql`(${sql.join(keys.map((name) => sql.ref(name)))})`;
        return (
          db
            .deleteFrom('webhook_deliveries')
            .where(sql<boolean>`${key} in ${old}`)
            // Checked again when the row was locked: a delivery that is sent again meanwhile is pending.
            .where('state', '!=', sql.lit('pending'))
        );
      });
    },
  };
}

/** Replays of events to webhooks. */
export function replaysOn(session: Session): Replays {
  const rows = tableRows(session, 'replays');
  const running = (db: Db) => db.selectFrom('replays').selectAll().where('state', '=', sql.lit('Running'));
  return {
    find: (id) => rows.find('id', id),
    async findRunning(webhook) {
      return session.first('replays running of', { webhook }, (db, param) =>
        running(db).where('webhook_id', '=', param('webhook')),
      );
    },
    add: (replay) => rows.insert(replay),
    change: (id, changes) => rows.update(id, changes),
    removeBefore: (time, limit) =>
      removeOldest(session, { table: 'replays', key: ['id'], time: 'ended_at' }, time, limit),
  };
}
