import { sql } from 'kysely';
import { foldCase } from '../../base/text.ts';
import type { Notifications, Posts } from '../../contract/store/posts.ts';
import { addValues, among, type Builder, sizeFor } from '../core/lists.ts';
import { rowsOn } from '../core/rows.ts';
import type { Session } from '../core/session.ts';
import type { Value } from '../core/statements.ts';

/** More than follows the prefix of a name. */
const BEYOND = '\u{10FFFF}'.repeat(100);

function folded(name: string | null): string | null {
  return name === null ? null : foldCase(name);
}

/** Published posts. */
export function postsOn(session: Session): Posts {
  const { statements } = session;
  const rows = rowsOn(session, 'posts');
  return {
    async find(environment, id) {
      const post = await rows.find('id', id);
      return post?.environment === environment ? post : undefined;
    },
    async list(environment, ids) {
      if (ids.length === 0) return [];
      const size = sizeFor(ids.length);
      const statement = statements.of(`posts list ${size}`, (queries, argument) =>
        among(
          queries.selectFrom('posts').selectAll().where('environment', '=', argument('environment')),
          'id',
          size,
          argument,
        ),
      );
      const args: Record<string, Value> = { environment };
      addValues(args, 'id', ids, size);
      return session.all(statement, args);
    },
    async findRepost(environment, user, of) {
      const statement = statements.of('posts repost', (queries, argument) =>
        queries
          .selectFrom('posts')
          .selectAll()
          .where('environment', '=', argument('environment'))
          .where('user_id', '=', argument('user'))
          .where('repost_of', '=', argument('of')),
      );
      return (await session.all(statement, { environment, user, of }))[0];
    },
    async page({ environment, user, nullcast, withMentions, ids, namePrefix, after, limit }) {
      if (ids?.length === 0) return [];
      const size = ids && sizeFor(ids.length);
      const shape = `${nullcast} ${withMentions} ${size} ${namePrefix === undefined} ${after === undefined}`;
      const statement = statements.of(`posts page ${shape}`, (queries, argument) => {
        let chosen: Builder = queries
          .selectFrom('posts')
          .selectAll()
          .where('environment', '=', argument('environment'))
          .where('user_id', '=', argument('user'));
        if (nullcast !== undefined) chosen = chosen.where('nullcast', '=', argument('nullcast'));
        if (!withMentions) chosen = chosen.where('starts_with_mention', '=', sql.lit(0));
        if (size) chosen = among(chosen, 'id', size, argument);
        if (namePrefix !== undefined) {
          chosen = chosen
            .where('name_folded', '>=', argument('name_from'))
            .where('name_folded', '<', argument('name_to'));
        }
        if (after) {
          chosen = chosen.where(sql<boolean>`(created_at, id) < (${argument('after_time')}, ${argument('after_id')})`);
        }
        return chosen.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(argument('limit'));
      });
      const args: Record<string, Value> = { environment, user, limit };
      if (nullcast !== undefined) args.nullcast = nullcast;
      if (ids) addValues(args, 'id', ids, size!);
      if (namePrefix !== undefined) Object.assign(args, { name_from: namePrefix, name_to: namePrefix + BEYOND });
      if (after) Object.assign(args, { after_time: after[0], after_id: after[1] });
      return session.all(statement, args);
    },
    async listTexts(environment, after, limit) {
      const statement = statements.of('posts texts', (queries, argument) =>
        queries
          .selectFrom('posts')
          .select(['id', 'user_id', 'lang', 'created_at', 'text'])
          .where('environment', '=', argument('environment'))
          .where('nullcast', '=', sql.lit(0))
          .where('text', 'is not', null)
          .where('id', '>', argument('after'))
          .orderBy('id')
          .limit(argument('limit')),
      );
      return session.all(statement, { environment, after, limit });
    },
    add: (post) => rows.add({ ...post, name_folded: folded(post.name) }),
    rename: (id, name) => rows.change(id, { name, name_folded: folded(name) }),
  };
}

/** What users are told of. */
export function notificationsOn(session: Session): Notifications {
  const { statements } = session;
  return {
    add: (notification) => rowsOn(session, 'notifications').add(notification),
    async list(user, limit) {
      const statement = statements.of('notifications list', (queries, argument) =>
        queries
          .selectFrom('notifications')
          .selectAll()
          .where('user_id', '=', argument('user'))
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .limit(argument('limit')),
      );
      return session.all(statement, { user, limit });
    },
  };
}
