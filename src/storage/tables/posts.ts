import { sql } from 'kysely';
import type { Notifications, Posts } from '../../contract/store/posts.ts';
import { foldedName } from '../../rows/search-columns.ts';
import { inList, paddedSize } from '../core/in-lists.ts';
import { removeOldest } from '../core/remove-oldest.ts';
import type { Session } from '../core/session.ts';
import { tableRows } from '../core/table-rows.ts';

/** Sorts after everything that follows the prefix of a name. */
const BEYOND = '\u{10FFFF}'.repeat(100);

/** All transactions with a smaller number have ended. */
const HORIZON = 'select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon';

/** Transactions of this server that are visible have smaller numbers: these rows were copied from another one. */
const ADOPT = `update posts set stored_in = pg_current_xact_id()::text::bigint
  where environment in ('production', 'sandbox') and stored_in >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint`;

/** Published posts. */
export function postsOn(session: Session): Posts {
  const rows = tableRows(session, 'posts');
  return {
    async find(environment, id) {
      const post = await rows.find('id', id);
      return post?.environment === environment ? post : undefined;
    },
    async list(environment, ids) {
      if (ids.length === 0) return [];
      const size = paddedSize(ids.length);
      return session.all(`posts list ${size}`, { environment, ids }, (db, param) =>
        db
          .selectFrom('posts')
          .selectAll()
          .where('environment', '=', param('environment'))
          .where((eb) => inList(eb, 'id', param.list('ids', size))),
      );
    },
    async findRepost(environment, user, of) {
      return session.first('posts repost', { environment, user, of }, (db, param) =>
        db
          .selectFrom('posts')
          .selectAll()
          .where('environment', '=', param('environment'))
          .where('user_id', '=', param('user'))
          .where('repost_of', '=', param('of')),
      );
    },
    async page({ environment, user, nullcast, withMentions, ids, namePrefix, after, limit }) {
      if (ids?.length === 0) return [];
      const size = ids && paddedSize(ids.length);
      const shape = `${nullcast} ${withMentions} ${size} ${namePrefix === undefined} ${after === undefined}`;
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
      return session.all(`posts page ${shape}`, args, (db, param) => {
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
    },
    async listTexts(environment, { stored_in, id }, limit) {
      return session.all('posts texts', { environment, stored_in, id, limit }, (db, param) =>
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
    },
    async findHorizon() {
      // Units of work that write to SQLite follow each other: whatever is visible is settled.
      if (session.dialect === 'sqlite') return Number.MAX_SAFE_INTEGER;
      const [row] = await session.allRaw<{ horizon: number }>(HORIZON);
      return row!.horizon;
    },
    adoptForeign: async () => (session.dialect === 'sqlite' ? 0 : session.runRaw(ADOPT)),
    async add(post) {
      const row = { ...post, name_folded: foldedName(post.name) };
      const columns = Object.keys(row) as (keyof typeof row)[];
      await session.run(`posts add ${columns}`, { row: [row], environment: post.environment }, (db, param) => {
        const cells = columns.map((name) => [name, param.cell('row', 0, name)]);
        const stored_in =
          session.dialect === 'sqlite'
            ? sql<number>`(select coalesce(max(stored_in), 0) + 1 from posts where environment = ${param('environment')})`
            : sql<number>`pg_current_xact_id()::text::bigint`;
        return db.insertInto('posts').values({ ...(Object.fromEntries(cells) as typeof row), stored_in });
      });
    },
    rename: (id, name) => rows.update(id, { name, name_folded: foldedName(name) }),
  };
}

/** Notifications of users. */
export function notificationsOn(session: Session): Notifications {
  return {
    add: (notification) => tableRows(session, 'notifications').insert(notification),
    removeBefore: (time, limit) =>
      removeOldest(session, { table: 'notifications', key: ['id'], time: 'created_at' }, time, limit),
    async list(user, limit) {
      return session.all('notifications list', { user, limit }, (db, param) =>
        db
          .selectFrom('notifications')
          .selectAll()
          .where('user_id', '=', param('user'))
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .limit(param('limit')),
      );
    },
  };
}
