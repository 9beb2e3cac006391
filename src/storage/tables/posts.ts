import { sql } from 'kysely';
import type { Environment } from '../../contract/declare/account-state.ts';
import type { Notification, Post, PostPosition } from '../../contract/store/posts.ts';
import { foldedName } from '../../rows/search-columns.ts';
import { insertRows } from '../core/bulk-insert.ts';
import { allListed, inList, paddedSize } from '../core/in-lists.ts';
import { Table } from '../core/table.ts';
import { findRow, listRows, updateRows } from '../core/table-rows.ts';

/** Sorts after everything that follows the prefix of a name. */
const BEYOND = '\u{10FFFF}'.repeat(100);

/** All transactions with a smaller number have ended. */
const HORIZON = 'select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon';

/** Transactions of this server that are visible have smaller numbers: these rows were copied from another one. */
const ADOPT = `update posts set stored_in = pg_current_xact_id()::text::bigint
  where environment in ('production', 'sandbox') and stored_in >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint`;

/** Filters of an author's posts. */
interface PostConditions {
  readonly environment: Environment;
  readonly user: string;
  readonly nullcast: 0 | 1 | undefined;
  /** Whether posts that begin with a mention are included. */
  readonly withMentions: boolean;
  readonly ids: readonly string[] | undefined;
  /** Prefix of the folded name, folded. */
  readonly namePrefix: string | undefined;
}

/** A page of posts, newest first. */
interface PostQuery extends PostConditions {
  /** Time and id of the last post of the previous page. */
  readonly after: readonly [created_at: string, id: string] | undefined;
  readonly limit: number;
}

/** The stored published posts. */
export class Posts extends Table {
  async find(environment: Environment, id: string): Promise<Post | undefined> {
    const post = await findRow(this.session, 'posts', { id });
    return post?.environment === environment ? post : undefined;
  }

  /** The posts with these ids that exist, unordered. */
  list(environment: Environment, ids: readonly string[]) {
    return allListed(this.session, 'posts list', ids, { environment }, (db, ids, param) =>
      db
        .selectFrom('posts')
        .selectAll()
        .where('environment', '=', param('environment'))
        .where((eb) => inList(eb, 'id', ids)),
    );
  }

  /** A user's promoted-only repost of a post. */
  findRepost(environment: Environment, user: string, of: string) {
    return findRow(this.session, 'posts', { environment, user_id: user, repost_of: of });
  }

  async page({ environment, user, nullcast, withMentions, ids, namePrefix, after, limit }: PostQuery): Promise<Post[]> {
    if (ids?.length === 0) return [];
    const size = ids && paddedSize(ids.length);
    const shape = [
      nullcast !== undefined && 'nullcast',
      withMentions && 'mentions',
      size && `${size} ids`,
      namePrefix !== undefined && 'name',
      after && 'after',
    ];
    const args = {
      environment,
      user,
      limit,
      nullcast,
      ids: ids ?? [],
      name_from: namePrefix,
      name_to: namePrefix === undefined ? undefined : namePrefix + BEYOND,
      after_time: after?.[0],
      after_id: after?.[1],
    };
    return this.session.all(`posts page ${shape.filter(Boolean)}`, args, (db, param) => {
      let chosen = db
        .selectFrom('posts')
        .selectAll()
        .where('environment', '=', param('environment'))
        .where('user_id', '=', param('user'));
      if (nullcast !== undefined) chosen = chosen.where('nullcast', '=', param('nullcast'));
      if (!withMentions) chosen = chosen.where('starts_with_mention', '=', sql.lit(0));
      if (size) chosen = chosen.where((eb) => inList(eb, 'id', param.list('ids', size)));
      if (namePrefix !== undefined) {
        chosen = chosen.where('name_folded', '>=', param('name_from')).where('name_folded', '<', param('name_to'));
      }
      if (after) {
        chosen = chosen.where(sql<boolean>`(created_at, id) < (${param('after_time')}, ${param('after_id')})`);
      }
      return chosen.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(param('limit'));
    });
  }

  /** The texts of public posts after a position, in order. */
  listTexts(environment: Environment, { stored_in, id }: PostPosition, limit: number) {
    return this.session.all('posts texts', { environment, stored_in, id, limit }, (db, param) =>
      db
        .selectFrom('posts')
        .select(['id', 'stored_in', 'user_id', 'lang', 'created_at', 'text'])
        .where('environment', '=', param('environment'))
        .where('nullcast', '=', sql.lit(0))
        .where('text', 'is not', null)
        .$narrowType<{ text: string }>()
        .where(sql<boolean>`(stored_in, id) > (${param('stored_in')}, ${param('id')})`)
        .orderBy('stored_in')
        .orderBy('id')
        .limit(param('limit')),
    );
  }

  /**
   * All posts with a smaller `stored_in` are stored: any later unit of work sees them, and no further one will appear
   * among them.
   */
  async findHorizon() {
    // Units of work that write to SQLite follow each other: whatever is visible is settled.
    if (this.session.dialect === 'sqlite') return Number.MAX_SAFE_INTEGER;
    const [row] = await this.session.allRaw<{ horizon: number }>(HORIZON);
    return row!.horizon;
  }

  /** Moves posts to the end whose `stored_in` comes from another PostgreSQL server; returns how many. */
  async adoptForeign(): Promise<number> {
    return this.session.dialect === 'sqlite' ? 0 : this.session.runRaw(ADOPT);
  }

  async add(post: Post) {
    const row = { ...post, name_folded: foldedName(post.name) };
    const columns = Object.keys(row) as (keyof typeof row)[];
    await this.session.run(`posts add ${columns}`, { row: [row], environment: post.environment }, (db, param) => {
      const cells = columns.map((name) => [name, param.cell('row', 0, name)]);
      const stored_in =
        this.session.dialect === 'sqlite'
          ? sql<number>`(select coalesce(max(stored_in), 0) + 1 from posts where environment = ${param('environment')})`
          : sql<number>`pg_current_xact_id()::text::bigint`;
      return db.insertInto('posts').values({ ...(Object.fromEntries(cells) as typeof row), stored_in });
    });
  }

  async rename(id: string, name: string | null) {
    await updateRows(this.session, 'posts', { name, name_folded: foldedName(name) }, { id });
  }
}

/** Notifications of users. */
export class Notifications extends Table {
  add(notification: Notification) {
    return insertRows(this.session, 'notifications', [notification]);
  }

  /** The newest notifications of a user. */
  list(user: string, limit: number) {
    return listRows(this.session, 'notifications', { user_id: user }, ['created_at desc', 'id desc'], limit);
  }
}
