import type { Direction, EventType } from '../../contract/store/events.ts';
import { insertRows } from '../core/bulk-insert.ts';
import { allListed, inList, paddedSize } from '../core/in-lists.ts';
import type { Db } from '../core/statements.ts';
import { CachedTable } from '../core/table.ts';
import { updateRows } from '../core/table-rows.ts';

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

/** A stored subscription of an application to events. Times are UTC texts. */
export interface Subscription {
  /** Decimal text. */
  readonly id: string;
  readonly application_id: string;
  /** The user whose token created it; null when the application created it by itself. */
  readonly user_id: string | null;
  readonly event_type: EventType;
  /** JSON text: the filter as replies and envelopes show it. */
  readonly filter: string;
  readonly filter_user_id: string | null;
  readonly filter_keyword: string | null;
  /** As received; when it was omitted, the effective value follows from the type. */
  readonly filter_direction: Direction | 'both' | null;
  readonly tag: string | null;
  readonly webhook_id: string | null;
  /** The end of the log when it was created: events up to there are older. */
  readonly since_position: number;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A page of subscriptions, oldest first. */
interface SubscriptionQuery {
  readonly application: string;
  /** Only those that this user created; all when undefined. */
  readonly user: string | undefined;
  /** Id of the last one of the previous page; empty for the first. */
  readonly after: string;
  readonly limit: number;
}

/** The unique key of a subscription. @source activity 17.2 */
export interface DedupKey {
  readonly application_id: string;
  /** Type, filter and webhook, as one text. */
  readonly sense: string;
}

/**
 * The stored subscriptions. Every change invalidates `subscription:<id>`: those in use are cached, and read again
 * before the next event is matched.
 */
export class Subscriptions extends CachedTable {
  find(id: string) {
    return this.session.first('subscriptions find', { id }, (db, param) => some(db).where('id', '=', param('id')));
  }

  /** The subscriptions with these ids that exist, unordered. */
  list(ids: readonly string[]) {
    return allListed(this.session, 'subscriptions list', ids, {}, (db, ids) =>
      some(db).where((eb) => inList(eb, 'id', ids)),
    );
  }

  /** All subscriptions by id: the first `limit` after an id. */
  listAll(after: string, limit: number) {
    return this.session.all('subscriptions all', { after, limit }, (db, param) =>
      some(db).where('id', '>', param('after')).orderBy('id').limit(param('limit')),
    );
  }

  page({ application, user, after, limit }: SubscriptionQuery) {
    return this.session.all(
      `subscriptions page${user === undefined ? '' : ' of user'}`,
      { application, user, after, limit },
      (db, param) => {
        const all = some(db).where('application_id', '=', param('application'));
        const own = user === undefined ? all : all.where('user_id', '=', param('user'));
        return own.where('id', '>', param('after')).orderBy('id').limit(param('limit'));
      },
    );
  }

  /** At most `limit` subscriptions with a webhook, unordered. */
  listOfWebhook(webhook: string, limit: number) {
    return this.session.all('subscriptions of webhook', { webhook, limit }, (db, param) =>
      some(db).where('webhook_id', '=', param('webhook')).limit(param('limit')),
    );
  }

  findDuplicate({ application_id, sense }: DedupKey) {
    return this.session.first('subscriptions same', { application_id, sense }, (db, param) =>
      some(db).where('application_id', '=', param('application_id')).where('sense', '=', param('sense')),
    );
  }

  /** How many an application has, or those created by one user. */
  async findCount(application: string, user: string | undefined) {
    const row = await this.session.first(
      `subscriptions count${user === undefined ? '' : ' of user'}`,
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
  }

  async add(subscription: Subscription & DedupKey) {
    await insertRows(this.session, 'subscriptions', [subscription]);
    this.invalidate(`subscription:${subscription.id}`);
  }

  async change(
    id: string,
    changes: Partial<Pick<Subscription, 'tag' | 'webhook_id' | 'updated_at'>> & Partial<DedupKey>,
  ) {
    await updateRows(this.session, 'subscriptions', changes, { id });
    this.invalidate(`subscription:${id}`);
  }

  async remove(ids: readonly string[]) {
    if (ids.length === 0) return;
    const size = paddedSize(ids.length);
    await this.session.run(`subscriptions remove ${size}`, { ids }, (db, param) =>
      db.deleteFrom('subscriptions').where((eb) => inList(eb, 'id', param.list('ids', size))),
    );
    for (const id of ids) this.invalidate(`subscription:${id}`);
  }
}

function some(db: Db) {
  return db.selectFrom('subscriptions').select(COLUMNS);
}
