import { sql } from 'kysely';
import { foldCase } from '../../base/text.ts';
import type { Notifications, Posts } from '../../contract/store/posts.ts';
import { type Builder, bindList, paddedSize, whereIn } from '../core/in-lists.ts';
import type { Session } from '../core/session.ts';
import type { Value } from '../core/statements.ts';
import { tableRows } from '../core/table-rows.ts';

/** More than follows the prefix of a name. */
const BEYOND = '\u{10FFFF}'.repeat(100);

function folded(name: string | null): string | null {
  return name === null ? null : foldCase(name);
}

/** Published posts. */
export function postsOn(session: Session): Posts {
  const { statements } = session;
  const rows = tableRows(session, 'posts');
  return {
    async find(environment, id) {
      const post = await rows.find('id', id);
      return post?.environment === environment ? post : undefined;
    },
    async list(environment, ids) {
      if (ids.length === 0) return [];
      const size = paddedSize(ids.length);
      const statement = statements.cached(`posts list ${size}`, (db, param) =>
        whereIn(db.selectFrom('posts').selectAll().where('environment', '=', param('environment')), 'id', size, param),
      );
      const args: Record<string, Value> = { environment };
      bindList(args, 'id', ids, size);
      return session.all(statement, args);
    },
    async findRepost(environment, user, of) {
      const statement = statements.cached('posts repost', (db, param) =>
        db
          .selectFrom('posts')
          .selectAll()
          .where('environment', '=', param('environment'))
          .where('user_id', '=', param('user'))
          .where('repost_of', '=', param('of')),
      );
      return (await session.all(statement, { environment, user, of }))[0];
    },
    async page({ environment, user, nullcast, withMentions, ids, namePrefix, after, limit }) {
      if (ids?.length === 0) return [];
      const size = ids && paddedSize(ids.length);
      const shape = `${nullcast} ${withMentions} ${size} ${namePrefix === undefined} ${after === undefined}`;
      const statement = statements.cached(`posts page ${shape}`, (db, param) => {
        let chosen: Builder = db
          .selectFrom('posts')
          .selectAll()
          .where('environment', '=', param('environment'))
          .where('user_id', '=', param('user'));
        if (nullcast !== undefined) chosen = chosen.where('nullcast', '=', param('nullcast'));
        if (!withMentions) chosen = chosen.where('starts_with_mention', '=', sql.lit(0));
        if (size) chosen = whereIn(chosen, 'id', size, param);
        if (namePrefix !== undefined) {
          chosen = chosen.where('name_folded', '>=', param('name_from')).where('name_folded', '<', param('name_to'));
        }
        if (after) {
          chosen = chosen.where(sql<boolean>`(created_at, id) < (${param('after_time')}, ${param('after_id')})`);
        }
        return chosen.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(param('limit'));
      });
      const args: Record<string, Value> = { environment, user, limit };
      if (nullcast !== undefined) args.nullcast = nullcast;
      if (ids) bindList(args, 'id', ids, size!);
      if (namePrefix !== undefined) Object.assign(args, { name_from: namePrefix, name_to: namePrefix + BEYOND });
      if (after) Object.assign(args, { after_time: after[0], after_id: after[1] });
      return session.all(statement, args);
    },
    async listTexts(environment, after, limit) {
      const statement = statements.cached('posts texts', (db, param) =>
        db
          .selectFrom('posts')
          .select(['id', 'user_id', 'lang', 'created_at', 'text'])
          .where('environment', '=', param('environment'))
          .where('nullcast', '=', sql.lit(0))
          .where('text', 'is not', null)
          .where('id', '>', param('after'))
          .orderBy('id')
          .limit(param('limit')),
      );
      return session.all(statement, { environment, after, limit });
    },
    add: (post) => rows.insert({ ...post, name_folded: folded(post.name) }),
    rename: (id, name) => rows.update(id, { name, name_folded: folded(name) }),
  };
}

/** What users are told of. */
export function notificationsOn(session: Session): Notifications {
  const { statements } = session;
  return {
    add: (notification) => tableRows(session, 'notifications').insert(notification),
    async list(user, limit) {
      const statement = statements.cached('notifications list', (db, param) =>
        db
          .selectFrom('notifications')
          .selectAll()
          .where('user_id', '=', param('user'))
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .limit(param('limit')),
      );
      return session.all(statement, { user, limit });
    },
  };
}
