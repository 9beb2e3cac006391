import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely';
import type { Database } from '../core/database.ts';
import { databaseTime } from '../core/database-time.ts';
import { inList, paddedSize } from '../core/in-lists.ts';
import { isOrphaned } from '../core/orphans.ts';
import type { Param } from '../core/statements.ts';
import { Table } from '../core/table.ts';

/** Leases in one statement. */
const CHUNK = 500;

type WebhooksBuilder = ExpressionBuilder<Database, 'webhooks'>;

/** The right of a node to deliver to a webhook, until another node takes the webhook. */
export interface WebhookLease {
  readonly webhook_id: string;
  /** Larger than that of every earlier lease of the webhook. */
  readonly fencing_number: number;
}

/** A lease with the state of the webhook known to its node. */
export interface LeasedPosition extends WebhookLease {
  /** The log position up to which all necessary deliveries are stored. */
  readonly settled_position: number;
}

/** Options for leasing free webhooks. */
interface FreeWebhooks {
  readonly node: string;
  /** How long the lease lasts, by the clock of the database; undefined: until it is given back. */
  readonly lease_s: number | undefined;
  /** Only those that have been free for at least this long. */
  readonly free_s: number;
  readonly max: number;
}

/** Leases of webhooks by nodes. All times are those of the database clock. @source decision 770 */
export class WebhookLeases extends Table {
  readonly #givenBack = { node: sql.lit(null), leased_until: databaseTime(this.session.dialect, sql.lit(0)) };

  /**
   * Counts the webhooks, those to which no node has delivered for at least `free_s`, those of a node, and the nodes with
   * the role `worker` and a heartbeat within `silence_s`.
   */
  async findShares({
    node = '',
    silence_s,
    free_s,
  }: {
    readonly node?: string;
    readonly silence_s: number;
    readonly free_s: number;
  }) {
    const row = await this.session.first(
      `webhook leases shares${free_s === 0 ? '' : ' by age'}`,
      { node, since_s: 0 - silence_s, ago_s: 0 - free_s },
      (db, param) =>
        db.selectFrom('webhooks').select((eb) => [
          eb.fn.countAll<number>().as('webhooks'),
          sql<number>`coalesce(sum(case when ${this.#isFree(param, free_s)(eb)} then 1 else 0 end), 0)`.as('free'),
          sql<number>`coalesce(sum(case when node = ${param('node')} then 1 else 0 end), 0)`.as('own'),
          eb
            .selectFrom('nodes')
            .where('heartbeat_at', '>', this.#time(param('since_s')))
            .where(sql<boolean>`',' || roles || ',' like '%,worker,%'`)
            .select(sql<number>`count(*)`.as('count'))
            .as('workers'),
        ]),
    );
    const { webhooks, free, own, workers } = row!;
    return { webhooks: Number(webhooks), free: Number(free), own: Number(own), workers: Number(workers) };
  }

  /** The position up to which the log is settled for every webhook; undefined when there are no webhooks. */
  async findSettled() {
    const row = await this.session.first('webhook leases settled', {}, (db) =>
      db.selectFrom('webhooks').select(sql<number | null>`min(settled_position)`.as('position')),
    );
    return row?.position ?? undefined;
  }

  /** The leases of a node. */
  listOf(node: string) {
    return this.session.all('webhook leases of', { node }, (db, param) =>
      db.selectFrom('webhooks').where('node', '=', param('node')).select(['id as webhook_id', 'fencing_number']),
    );
  }

  /** Leases free webhooks, by id, under new fencing numbers. */
  async take({ node, lease_s, free_s, max }: FreeWebhooks): Promise<LeasedPosition[]> {
    const found = await this.session.all(
      `webhook leases free${free_s === 0 ? '' : ' by age'}`,
      { ago_s: 0 - free_s, max },
      (db, param) => {
        const free = db
          .selectFrom('webhooks')
          .select('id')
          .where(this.#isFree(param, free_s))
          .orderBy('id')
          .limit(param('max'));
        return this.session.dialect === 'postgres' ? free.forUpdate().skipLocked() : free;
      },
    );
    if (found.length === 0) return [];
    const size = paddedSize(found.length);
    return this.session.all(
      `webhook leases take ${size}${lease_s === undefined ? '' : ' timed'}`,
      { node, lease_s, ids: found.map(({ id }) => id) },
      (db, param) =>
        db
          .updateTable('webhooks')
          .set({
            node: param('node'),
            leased_until: lease_s === undefined ? sql.lit(null) : this.#time(param('lease_s')),
            fencing_number: sql<number>`fencing_number + 1`,
          })
          .where((eb) => inList(eb, 'id', param.list('ids', size)))
          .returning(['id as webhook_id', 'fencing_number', 'settled_position']),
    );
  }

  /**
   * Stores the positions of webhooks that the node still holds, and extends their leases; returns the ids of those that
   * it still holds. The others are not changed, and nothing else may be stored for them.
   */
  async keep(
    node: string,
    leases: readonly LeasedPosition[],
    lease_s: number | undefined,
  ): Promise<ReadonlySet<string>> {
    const kept = new Set<string>();
    for (const chunk of chunksOf(leases)) for (const id of await this.#keepSome(node, chunk, lease_s)) kept.add(id);
    return kept;
  }

  /**
   * Extends leases to this long from now, except those that are lost and those of webhooks that another unit of work is
   * just changing; returns the ids of the others.
   */
  async renew(node: string, leases: readonly WebhookLease[], lease_s: number): Promise<ReadonlySet<string>> {
    const renewed = new Set<string>();
    for (const chunk of chunksOf(leases)) for (const id of await this.#renewSome(node, chunk, lease_s)) renewed.add(id);
    return renewed;
  }

  /** Releases leases that the node still holds. */
  async giveBack(node: string, leases: readonly WebhookLease[]) {
    for (const chunk of chunksOf(leases)) {
      const size = paddedSize(chunk.length);
      const args = { node, leases: padded(chunk, size) };
      await this.session.run(`webhook leases give back ${size}`, args, (db, param) =>
        db.updateTable('webhooks').set(this.#givenBack).where(isHeld(param, size)),
      );
    }
  }

  /** Frees the webhooks of ended nodes; returns their number. */
  releaseOrphaned() {
    return this.session.run('webhook leases free orphaned', {}, (db) =>
      db.updateTable('webhooks').set(this.#givenBack).where('node', 'is not', null).where(isOrphaned('webhooks')),
    );
  }

  #time(plus_s: RawBuilder<number> | number) {
    return databaseTime(this.session.dialect, plus_s);
  }

  /**
   * Free now, or for at least some seconds. `leased_until` of a webhook without a node is when it was given back; a lease
   * without an end is one that only the next server on the database ends.
   */
  #isFree(param: Param<{ readonly ago_s: number }>, free_s: number) {
    return (eb: WebhooksBuilder) => {
      const hasEnded = eb('leased_until', '<=', this.#time(param('ago_s')));
      // Whatever the clock shows.
      if (free_s === 0) return eb.or([hasEnded, eb('node', 'is', null)]);
      return eb.or([hasEnded, eb.and([eb('node', 'is', null), eb('leased_until', 'is', null)])]);
    };
  }

  async #keepSome(node: string, leases: readonly LeasedPosition[], lease_s: number | undefined): Promise<string[]> {
    const size = paddedSize(leases.length);
    const rows = padded(leases, size);
    const kept = await this.session.all(
      `webhook leases keep ${size}${lease_s === undefined ? '' : ' timed'}`,
      { node, leases: rows, lease_s },
      (db, param) => {
        const places = Array.from({ length: size }, (_, index) => {
          const [id, position] = [
            param.cell('leases', index, 'webhook_id'),
            param.cell('leases', index, 'settled_position'),
          ];
          return sql`when ${id} then cast(${position} as bigint)`;
        });
        const settled_position = sql<number>`case id ${sql.join(places, sql` `)} end`;
        const until = lease_s === undefined ? {} : { leased_until: this.#time(param('lease_s')) };
        return db
          .updateTable('webhooks')
          .set({ settled_position, ...until })
          .where(isHeld(param, size))
          .returning('id');
      },
    );
    return kept.map(({ id }) => id);
  }

  async #renewSome(node: string, leases: readonly WebhookLease[], lease_s: number): Promise<string[]> {
    const size = paddedSize(leases.length);
    const args = { node, lease_s, leases: padded(leases, size) };
    const renewed = await this.session.all(`webhook leases renew ${size}`, args, (db, param) => {
      const renew = db
        .updateTable('webhooks')
        .set({ leased_until: this.#time(param('lease_s')) })
        .returning('id');
      if (this.session.dialect === 'sqlite') return renew.where(isHeld(param, size));
      // Heartbeats use the same connection: it must wait for no unit of work. @source decision 801
      const free = db.selectFrom('webhooks').select('id').where(isHeld(param, size)).forUpdate().skipLocked();
      return renew.where('id', 'in', free);
    });
    return renewed.map(({ id }) => id);
  }
}

/** The rows of `leases` whose lease the node still holds. */
function isHeld(param: Param<{ readonly node: string; readonly leases: readonly WebhookLease[] }>, size: number) {
  return (eb: WebhooksBuilder) =>
    eb.and([
      eb('node', '=', param('node')),
      eb.or(
        Array.from({ length: size }, (_, index) =>
          eb.and([
            eb('id', '=', param.cell('leases', index, 'webhook_id')),
            eb('fencing_number', '=', param.cell('leases', index, 'fencing_number')),
          ]),
        ),
      ),
    ]);
}

function chunksOf<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / CHUNK) }, (_, index) =>
    items.slice(index * CHUNK, (index + 1) * CHUNK),
  );
}

/** The items, with the first repeated up to a length. */
function padded<Item extends WebhookLease>(items: readonly Item[], size: number): { [Key in keyof Item]: Item[Key] }[] {
  return Array.from({ length: size }, (_, index) => items[index] ?? items[0]!);
}
