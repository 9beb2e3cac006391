import { sql } from 'kysely';
import type { Replays, WebhookDeliveries, WebhookDelivery, Webhooks } from '../../contract/store/webhooks.ts';
import type { Builder } from '../core/in-lists.ts';
import type { Session } from '../core/session.ts';
import type { Param, QueryBuilder, Value } from '../core/statements.ts';
import { tableRows } from '../core/table-rows.ts';

/** Webhooks. */
export function webhooksOn(session: Session, touch: (tag: string) => void): Webhooks {
  const { statements } = session;
  const rows = tableRows(session, 'webhooks');
  return {
    find: (id) => rows.find('id', id),
    lock: (id) => rows.lock('id', id),
    async list(application) {
      const statement = statements.cached('webhooks list', (db, param) =>
        db.selectFrom('webhooks').selectAll().where('application_id', '=', param('application')).orderBy('id'),
      );
      return session.all(statement, { application });
    },
    async listAll(after, limit) {
      const statement = statements.cached('webhooks all', (db, param) =>
        db.selectFrom('webhooks').selectAll().where('id', '>', param('after')).orderBy('id').limit(param('limit')),
      );
      return session.all(statement, { after, limit });
    },
    async add(webhook) {
      await rows.insert(webhook);
      touch(`webhook:${webhook.id}`);
    },
    async change(id, changes) {
      await rows.update(id, changes);
      touch(`webhook:${id}`);
    },
    async remove(id) {
      const statement = statements.cached('webhooks remove', (db, param) =>
        db.deleteFrom('webhooks').where('id', '=', param('id')),
      );
      await session.run(statement, { id });
      touch(`webhook:${id}`);
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

/** Rows of one statement, from many to few. */
const SIZES = [50, 10, 1];

/** The arguments of each row of a statement: made once, because thousands are stored in a second. */
const NAMES = Array.from({ length: SIZES[0]! }, (_, index) => COLUMNS.map((name) => `${name}.${index}`));

// biome-ignore lint/suspicious/noExplicitAny: a row as the databases have it
function deliveryOf(row: any): WebhookDelivery {
  return { ...row, tries: JSON.parse(row.tries) };
}

/** What is sent to webhooks. */
export function webhookDeliveriesOn(session: Session): WebhookDeliveries {
  const { statements } = session;
  const some = (db: QueryBuilder): Builder => db.selectFrom('webhook_deliveries').select(COLUMNS);
  const ofWebhook = (start: Builder, param: Param): Builder => start.where('webhook_id', '=', param('webhook'));

  const putSome = async (deliveries: readonly WebhookDelivery[]): Promise<void> => {
    const { length } = deliveries;
    const statement = statements.cached(`webhook deliveries put ${length}`, (db, param) =>
      db
        .insertInto('webhook_deliveries')
        .values(
          deliveries.map((_, index) => Object.fromEntries(COLUMNS.map((name) => [name, param(`${name}.${index}`)]))),
        )
        .onConflict((conflict: Builder) =>
          conflict.columns(['webhook_id', 'position', 'message_id']).doUpdateSet({
            state: sql`excluded.state`,
            tries: sql`excluded.tries`,
            tries_before: sql`excluded.tries_before`,
            next_at: sql`excluded.next_at`,
          }),
        ),
    );
    const args: Record<string, Value> = {};
    deliveries.forEach((delivery, index) => {
      const names = NAMES[index]!;
      for (let at = 0; at < COLUMNS.length; at++) {
        const name = COLUMNS[at]!;
        args[names[at]!] = name === 'tries' ? JSON.stringify(delivery.tries) : delivery[name];
      }
    });
    await session.run(statement, args);
  };

  return {
    async find({ webhook_id, position, message_id }) {
      const statement = statements.cached('webhook deliveries find', (db, param) =>
        ofWebhook(some(db), param).where('position', '=', param('position')).where('message_id', '=', param('message')),
      );
      const [row] = await session.all(statement, { webhook: webhook_id, position, message: message_id });
      return row && deliveryOf(row);
    },
    async page({ webhook, state, after, limit }) {
      const statement = statements.cached(
        `webhook deliveries page ${[state && 'state', after && 'after']}`,
        (db, param) => {
          let chosen = ofWebhook(some(db), param);
          if (state) chosen = chosen.where('state', '=', param('state'));
          if (after) {
            const place = sql<boolean>`(position, message_id) < (${param('position')}, ${param('message')})`;
            chosen = chosen.where(place);
          }
          return chosen.orderBy('position', 'desc').orderBy('message_id', 'desc').limit(param('limit'));
        },
      );
      const args = {
        webhook,
        limit,
        ...(state && { state }),
        ...(after && { position: after.position, message: after.message_id }),
      };
      return (await session.all(statement, args)).map(deliveryOf);
    },
    async listDue(webhook, now, limit) {
      const statement = statements.cached('webhook deliveries due', (db, param) =>
        ofWebhook(some(db), param)
          .where('state', '=', sql.lit('pending'))
          .where('next_at', '<=', param('now'))
          .orderBy('next_at')
          .orderBy('position')
          .orderBy('message_id')
          .limit(param('limit')),
      );
      return (await session.all(statement, { webhook, now, limit })).map(deliveryOf);
    },
    async findNext(webhook, after) {
      const statement = statements.cached('webhook deliveries next', (db, param) =>
        ofWebhook(db.selectFrom('webhook_deliveries'), param)
          .where('state', '=', sql.lit('pending'))
          .where('next_at', '>', param('after'))
          .select(sql`min(next_at)`.as('next')),
      );
      return (await session.all(statement, { webhook, after }))[0]?.next ?? undefined;
    },
    async listWaiting() {
      const statement = statements.cached('webhook deliveries waiting', (db) =>
        db
          .selectFrom('webhook_deliveries')
          .where('state', '=', sql.lit('pending'))
          .select(['webhook_id', sql`min(next_at)`.as('next_at')])
          .groupBy('webhook_id'),
      );
      return session.all(statement, {});
    },
    async bringForward(now, after) {
      const statement = statements.cached('webhook deliveries bring forward', (db, param) =>
        db
          .updateTable('webhook_deliveries')
          .set({ next_at: param('now') })
          .where('state', '=', sql.lit('pending'))
          .where('next_at', '>', param('after')),
      );
      await session.run(statement, { now, after });
    },
    async listMessagesAfter(position) {
      const statement = statements.cached('webhook deliveries after', (db, param) =>
        db
          .selectFrom('webhook_deliveries')
          .select(['webhook_id', 'message_id'])
          .where('position', '>', param('position')),
      );
      return session.all(statement, { position });
    },
    async putAll(deliveries) {
      for (let done = 0; done < deliveries.length; ) {
        const size = SIZES.find((each) => each <= deliveries.length - done)!;
        await putSome(deliveries.slice(done, done + size));
        done += size;
      }
    },
    async giveUp(webhook) {
      const statement = statements.cached('webhook deliveries give up', (db, param) =>
        ofWebhook(db.updateTable('webhook_deliveries'), param)
          .where('state', '=', sql.lit('pending'))
          .set({ state: sql.lit('failed'), next_at: sql.lit(null) }),
      );
      await session.run(statement, { webhook });
    },
    async removeUpTo(position, limit) {
      const statement = statements.cached('webhook deliveries remove', (db, param) => {
        const keys = ['webhook_id', 'position', 'message_id'];
        const old = db
          .selectFrom('webhook_deliveries')
          .select(keys)
          .where('position', '<=', param('position'))
          .where('state', '!=', sql.lit('pending'))
          .orderBy('position')
          .limit(param('limit'));
        const key = sql`(${sql.join(keys.map((name) => sql.ref(name)))})`;
        return db.deleteFrom('webhook_deliveries').where(sql<boolean>`${key} in ${old}`);
      });
      return session.run(statement, { position, limit });
    },
    async findProgress() {
      const statement = statements.cached('webhook progress', (db) =>
        db.selectFrom('webhook_progress').select('position').where('name', '=', sql.lit(PROGRESS)),
      );
      return (await session.all(statement, {}))[0]?.position;
    },
    async putProgress(position) {
      const statement = statements.cached('webhook progress put', (db, param) =>
        db
          .insertInto('webhook_progress')
          .values({ name: sql.lit(PROGRESS), position: param('position') })
          .onConflict((conflict: Builder) => conflict.column('name').doUpdateSet({ position: sql`excluded.position` })),
      );
      await session.run(statement, { position });
    },
  };
}

const PROGRESS = 'log';

/** Replays. */
export function replaysOn(session: Session): Replays {
  const { statements } = session;
  const rows = tableRows(session, 'replays');
  const running = (db: QueryBuilder): Builder =>
    db.selectFrom('replays').selectAll().where('state', '=', sql.lit('Running'));
  return {
    find: (id) => rows.find('id', id),
    async findRunning(webhook) {
      const statement = statements.cached('replays running of', (db, param) =>
        running(db).where('webhook_id', '=', param('webhook')),
      );
      return (await session.all(statement, { webhook }))[0];
    },
    async listRunning() {
      return session.all(
        statements.cached('replays running', (db) => running(db).orderBy('id')),
        {},
      );
    },
    add: (replay) => rows.insert(replay),
    change: (id, changes) => rows.update(id, changes),
    async removeBefore(time) {
      const statement = statements.cached('replays remove', (db, param) =>
        db.deleteFrom('replays').where('ended_at', '<', param('time')),
      );
      await session.run(statement, { time });
    },
  };
}
