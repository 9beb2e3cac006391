import { type ExpressionBuilder, sql } from 'kysely';
import type { DeliveryState, Replay, Webhook, WebhookDelivery } from '../../contract/store/webhooks.ts';
import { insertRows } from '../core/bulk-insert.ts';
import type { Database } from '../core/database.ts';
import { databaseTime } from '../core/database-time.ts';
import { allListed, inList } from '../core/in-lists.ts';
import type { Db, Param } from '../core/statements.ts';
import { CachedTable, Table } from '../core/table.ts';
import { deleteRows, findRow, updateRows } from '../core/table-rows.ts';

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

/** A page of deliveries, newest first. */
interface DeliveryPage {
  readonly webhook: string;
  /** Only those in this state; all when undefined. */
  readonly state: DeliveryState | undefined;
  /** The last delivery of the previous page; undefined for the first page. */
  readonly after: Pick<WebhookDelivery, 'position' | 'message_id'> | undefined;
  readonly limit: number;
}

/** The stored webhooks. Every change invalidates `webhook:<id>`. */
export class Webhooks extends CachedTable {
  find(id: string) {
    return this.session.first('webhooks find', { id }, (db, param) => selectWebhook(db).where('id', '=', param('id')));
  }

  /** Finds and locks it until the unit ends. */
  lock(id: string): Promise<Webhook | undefined> {
    // SQLite has one writer at a time; PostgreSQL needs a row lock.
    if (this.session.dialect === 'sqlite') return this.find(id);
    return this.session.first('webhooks lock', { id }, (db, param) =>
      selectWebhook(db).where('id', '=', param('id')).forUpdate(),
    );
  }

  /** The webhooks of an application, oldest first. */
  list(application: string) {
    return this.session.all('webhooks list', { application }, (db, param) =>
      selectWebhook(db).where('application_id', '=', param('application')).orderBy('id'),
    );
  }

  /** All webhooks by id: the first `limit` after an id. */
  listAll(after: string, limit: number) {
    return this.session.all('webhooks all', { after, limit }, (db, param) =>
      selectWebhook(db).where('id', '>', param('after')).orderBy('id').limit(param('limit')),
    );
  }

  /** Adds it, free for any node; events up to a position of the log are not for it. */
  async add(webhook: Webhook, settled_position: number) {
    await insertRows(this.session, 'webhooks', [{ ...webhook, settled_position }]);
    await this.session.run('webhooks free', { id: webhook.id }, (db, param) =>
      db
        .updateTable('webhooks')
        .set({ leased_until: databaseTime(this.session.dialect, sql.lit(0)) })
        .where('id', '=', param('id')),
    );
    this.invalidate(`webhook:${webhook.id}`);
  }

  async change(id: string, changes: Partial<Omit<Webhook, 'id'>>) {
    await updateRows(this.session, 'webhooks', changes, { id });
    this.invalidate(`webhook:${id}`);
  }

  /** Removes it; its deliveries are removed later. */
  async remove(id: string) {
    await deleteRows(this.session, 'webhooks', { id });
    this.invalidate(`webhook:${id}`);
  }
}

function selectWebhook(db: Db) {
  return db.selectFrom('webhooks').select(WEBHOOK_COLUMNS);
}

const DELIVERY_COLUMNS = [
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

/** The stored deliveries. */
export class WebhookDeliveries extends Table {
  async find({
    webhook_id,
    position,
    message_id,
  }: Pick<WebhookDelivery, 'webhook_id' | 'position' | 'message_id'>): Promise<WebhookDelivery | undefined> {
    const row = await this.session.first(
      'webhook deliveries find',
      { webhook: webhook_id, position, message: message_id },
      (db, param) =>
        selectDelivery(db)
          .where(isOf(param))
          .where('position', '=', param('position'))
          .where('message_id', '=', param('message')),
    );
    return row && deliveryOf(row);
  }

  async page({ webhook, state, after, limit }: DeliveryPage): Promise<WebhookDelivery[]> {
    const args = {
      webhook,
      limit,
      state,
      position: after?.position,
      message: after?.message_id,
    };
    return (
      await this.session.all(`webhook deliveries page ${[state && 'state', after && 'after']}`, args, (db, param) => {
        let chosen = selectDelivery(db).where(isOf(param));
        if (state) chosen = chosen.where('state', '=', param('state'));
        if (after) {
          const place = sql<boolean>`(position, message_id) < (${param('position')}, ${param('message')})`;
          chosen = chosen.where(place);
        }
        return chosen.orderBy('position', 'desc').orderBy('message_id', 'desc').limit(param('limit'));
      })
    ).map(deliveryOf);
  }

  /** The due deliveries of a webhook, longest waiting first. */
  async listDue(webhook: string, now: string, limit: number): Promise<WebhookDelivery[]> {
    return (
      await this.session.all('webhook deliveries due', { webhook, now, limit }, (db, param) =>
        selectDelivery(db)
          .where(isOf(param))
          .where('state', '=', sql.lit('pending'))
          .where('next_at', '<=', param('now'))
          .orderBy('next_at')
          .orderBy('position')
          .orderBy('message_id')
          .limit(param('limit')),
      )
    ).map(deliveryOf);
  }

  /** When the next delivery of a webhook after `after` is due; undefined when there is none. */
  async findNext(webhook: string, after: string) {
    return (
      (
        await this.session.first('webhook deliveries next', { webhook, after }, (db, param) =>
          db
            .selectFrom('webhook_deliveries')
            .where(isOf(param))
            .where('state', '=', sql.lit('pending'))
            .where('next_at', '>', param('after'))
            .select(sql<string | null>`min(next_at)`.as('next')),
        )
      )?.next ?? undefined
    );
  }

  /** The webhooks with pending deliveries, and when the first of each is due. */
  listWaiting() {
    return this.session.all('webhook deliveries waiting', {}, (db) =>
      db
        .selectFrom('webhook_deliveries')
        .where('state', '=', sql.lit('pending'))
        .select(['webhook_id', sql<string>`min(next_at)`.as('next_at')])
        .groupBy('webhook_id'),
    );
  }

  /** The stored deliveries to some webhooks of events above a position. */
  listMessagesAfter(webhooks: readonly string[], position: number) {
    return allListed(this.session, 'webhook deliveries after', webhooks, { position }, (db, webhooks, param) =>
      db
        .selectFrom('webhook_deliveries')
        .select(['webhook_id', 'message_id'])
        .where((eb) => inList(eb, 'webhook_id', webhooks))
        .where('position', '>', param('position')),
    );
  }

  /** Stores deliveries with their outcome, replacing existing ones. */
  async putAll(deliveries: readonly WebhookDelivery[]) {
    const rows = deliveries.map((delivery) => ({ ...delivery, tries: JSON.stringify(delivery.tries) }));
    await insertRows(this.session, 'webhook_deliveries', rows, {
      columns: DELIVERY_COLUMNS,
      onConflict: {
        key: ['webhook_id', 'position', 'message_id'],
        replace: ['state', 'tries', 'tries_before', 'next_at'],
      },
    });
  }

  /** Makes deliveries due that wait for a time after `after`. */
  async bringForward(now: string, after: string) {
    await this.session.run('webhook deliveries bring forward', { now, after }, (db, param) =>
      db
        .updateTable('webhook_deliveries')
        .set({ next_at: param('now') })
        .where('state', '=', sql.lit('pending'))
        .where('next_at', '>', param('after')),
    );
  }

  /** Gives up all pending deliveries of a webhook. */
  async giveUp(webhook: string) {
    await this.session.run('webhook deliveries give up', { webhook }, (db, param) =>
      db
        .updateTable('webhook_deliveries')
        .where(isOf(param))
        .where('state', '=', sql.lit('pending'))
        .set({ state: sql.lit('failed'), next_at: sql.lit(null) }),
    );
  }

  /** Removes at most `limit` deliveries of events up to a position that are not pending; returns how many. */
  removeUpTo(position: number, limit: number) {
    return this.session.run('webhook deliveries remove', { position, limit }, (db, param) => {
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
  }
}

function selectDelivery(db: Db) {
  return db.selectFrom('webhook_deliveries').select(DELIVERY_COLUMNS);
}

function isOf(param: Param<{ readonly webhook: string }>) {
  return (eb: DeliveriesBuilder) => eb('webhook_id', '=', param('webhook'));
}

/** Replays of events to webhooks. */
export class Replays extends Table {
  find(id: string) {
    return findRow(this.session, 'replays', { id });
  }

  findRunning(webhook: string) {
    return this.session.first('replays running of', { webhook }, (db, param) =>
      selectRunning(db).where('webhook_id', '=', param('webhook')),
    );
  }

  /** @throws ConstraintViolated when the webhook has a running replay. */
  add(replay: Replay) {
    return insertRows(this.session, 'replays', [replay]);
  }

  async change(id: string, changes: Partial<Pick<Replay, 'state' | 'position' | 'delivered' | 'failed' | 'ended_at'>>) {
    await updateRows(this.session, 'replays', changes, { id });
  }
}

function selectRunning(db: Db) {
  return db.selectFrom('replays').selectAll().where('state', '=', sql.lit('Running'));
}
