import { sql } from 'kysely';
import type { Replays, WebhookDeliveries, WebhookDelivery, Webhooks } from '../../contract/store/webhooks.ts';
import type { Builder } from '../core/lists.ts';
import { rowsOn } from '../core/rows.ts';
import type { Session } from '../core/session.ts';
import type { Argument, Queries, Value } from '../core/statements.ts';

/** Webhooks. */
export function webhooksOn(session: Session, touch: (tag: string) => void): Webhooks {
  const { statements } = session;
  const rows = rowsOn(session, 'webhooks');
  return {
    find: (id) => rows.find('id', id),
    lock: (id) => rows.lock('id', id),
    async list(application) {
      const statement = statements.of('webhooks list', (queries, argument) =>
        queries.selectFrom('webhooks').selectAll().where('application_id', '=', argument('application')).orderBy('id'),
      );
      return session.all(statement, { application });
    },
    async listAll(after, limit) {
      const statement = statements.of('webhooks all', (queries, argument) =>
        queries
          .selectFrom('webhooks')
          .selectAll()
          .where('id', '>', argument('after'))
          .orderBy('id')
          .limit(argument('limit')),
      );
      return session.all(statement, { after, limit });
    },
    async add(webhook) {
      await rows.add(webhook);
      touch(`webhook:${webhook.id}`);
    },
    async change(id, changes) {
      await rows.change(id, changes);
      touch(`webhook:${id}`);
    },
    async remove(id) {
      const statement = statements.of('webhooks remove', (queries, argument) =>
        queries.deleteFrom('webhooks').where('id', '=', argument('id')),
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
  const some = (queries: Queries): Builder => queries.selectFrom('webhook_deliveries').select(COLUMNS);
  const ofWebhook = (start: Builder, argument: Argument): Builder =>
    start.where('webhook_id', '=', argument('webhook'));

  const putSome = async (deliveries: readonly WebhookDelivery[]): Promise<void> => {
    const { length } = deliveries;
    const statement = statements.of(`webhook deliveries put ${length}`, (queries, argument) =>
      queries
        .insertInto('webhook_deliveries')
        .values(
          deliveries.map((_, index) => Object.fromEntries(COLUMNS.map((name) => [name, argument(`${name}.${index}`)]))),
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
      const statement = statements.of('webhook deliveries find', (queries, argument) =>
        ofWebhook(some(queries), argument)
          .where('position', '=', argument('position'))
          .where('message_id', '=', argument('message')),
      );
      const [row] = await session.all(statement, { webhook: webhook_id, position, message: message_id });
      return row && deliveryOf(row);
    },
    async page({ webhook, state, after, limit }) {
      const statement = statements.of(
        `webhook deliveries page ${[state && 'state', after && 'after']}`,
        (queries, argument) => {
          let chosen = ofWebhook(some(queries), argument);
          if (state) chosen = chosen.where('state', '=', argument('state'));
          if (after) {
            const place = sql<boolean>`(position, message_id) < (${argument('position')}, ${argument('message')})`;
            chosen = chosen.where(place);
          }
          return chosen.orderBy('position', 'desc').orderBy('message_id', 'desc').limit(argument('limit'));
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
      const statement = statements.of('webhook deliveries due', (queries, argument) =>
        ofWebhook(some(queries), argument)
          .where('state', '=', sql.lit('pending'))
          .where('next_at', '<=', argument('now'))
          .orderBy('next_at')
          .orderBy('position')
          .orderBy('message_id')
          .limit(argument('limit')),
      );
      return (await session.all(statement, { webhook, now, limit })).map(deliveryOf);
    },
    async findNext(webhook, after) {
      const statement = statements.of('webhook deliveries next', (queries, argument) =>
        ofWebhook(queries.selectFrom('webhook_deliveries'), argument)
          .where('state', '=', sql.lit('pending'))
          .where('next_at', '>', argument('after'))
          .select(sql`min(next_at)`.as('next')),
      );
      return (await session.all(statement, { webhook, after }))[0]?.next ?? undefined;
    },
    async listWaiting() {
      const statement = statements.of('webhook deliveries waiting', (queries) =>
        queries
          .selectFrom('webhook_deliveries')
          .where('state', '=', sql.lit('pending'))
          .select(['webhook_id', sql`min(next_at)`.as('next_at')])
          .groupBy('webhook_id'),
      );
      return session.all(statement, {});
    },
    async bringForward(now, after) {
      const statement = statements.of('webhook deliveries bring forward', (queries, argument) =>
        queries
          .updateTable('webhook_deliveries')
          .set({ next_at: argument('now') })
          .where('state', '=', sql.lit('pending'))
          .where('next_at', '>', argument('after')),
      );
      await session.run(statement, { now, after });
    },
    async listMessagesAfter(position) {
      const statement = statements.of('webhook deliveries after', (queries, argument) =>
        queries
          .selectFrom('webhook_deliveries')
          .select(['webhook_id', 'message_id'])
          .where('position', '>', argument('position')),
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
      const statement = statements.of('webhook deliveries give up', (queries, argument) =>
        ofWebhook(queries.updateTable('webhook_deliveries'), argument)
          .where('state', '=', sql.lit('pending'))
          .set({ state: sql.lit('failed'), next_at: sql.lit(null) }),
      );
      await session.run(statement, { webhook });
    },
    async removeUpTo(position, limit) {
      const statement = statements.of('webhook deliveries remove', (queries, argument) => {
        const keys = ['webhook_id', 'position', 'message_id'];
        const old = queries
          .selectFrom('webhook_deliveries')
          .select(keys)
          .where('position', '<=', argument('position'))
          .where('state', '!=', sql.lit('pending'))
          .orderBy('position')
          .limit(argument('limit'));
        const key = sql`(${sql.join(keys.map((name) => sql.ref(name)))})`;
        return queries.deleteFrom('webhook_deliveries').where(sql<boolean>`${key} in ${old}`);
      });
      return session.run(statement, { position, limit });
    },
    async findProgress() {
      const statement = statements.of('webhook progress', (queries) =>
        queries.selectFrom('webhook_progress').select('position').where('name', '=', sql.lit(PROGRESS)),
      );
      return (await session.all(statement, {}))[0]?.position;
    },
    async putProgress(position) {
      const statement = statements.of('webhook progress put', (queries, argument) =>
        queries
          .insertInto('webhook_progress')
          .values({ name: sql.lit(PROGRESS), position: argument('position') })
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
  const rows = rowsOn(session, 'replays');
  const running = (queries: Queries): Builder =>
    queries.selectFrom('replays').selectAll().where('state', '=', sql.lit('Running'));
  return {
    find: (id) => rows.find('id', id),
    async findRunning(webhook) {
      const statement = statements.of('replays running of', (queries, argument) =>
        running(queries).where('webhook_id', '=', argument('webhook')),
      );
      return (await session.all(statement, { webhook }))[0];
    },
    async listRunning() {
      return session.all(
        statements.of('replays running', (queries) => running(queries).orderBy('id')),
        {},
      );
    },
    add: (replay) => rows.add(replay),
    change: (id, changes) => rows.change(id, changes),
    async removeBefore(time) {
      const statement = statements.of('replays remove', (queries, argument) =>
        queries.deleteFrom('replays').where('ended_at', '<', argument('time')),
      );
      await session.run(statement, { time });
    },
  };
}
