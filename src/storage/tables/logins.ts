import type { LoginTallies, PasswordLinks, Sessions } from '../../contract/store/logins.ts';
import { addValues, among, sizeFor } from '../core/lists.ts';
import { rowsOn } from '../core/rows.ts';
import type { Session } from '../core/session.ts';
import type { Value } from '../core/statements.ts';

/** Sessions of browsers. */
export function sessionsOn(session: Session): Sessions {
  const { statements } = session;
  const table = rowsOn(session, 'sessions');
  return {
    find: (idHash) => table.find('id_hash', idHash),
    async list(user) {
      const statement = statements.of('sessions list', (queries, argument) =>
        queries
          .selectFrom('sessions')
          .selectAll()
          .where('user_id', '=', argument('user'))
          .orderBy('last_seen_at', 'desc')
          .orderBy('id_hash'),
      );
      return (await session.all(statement, { user })) as never;
    },
    add: (one) => table.add(one),
    async change(idHash, changes) {
      const columns = Object.keys(changes);
      const statement = statements.of(`sessions change ${columns}`, (queries, argument) =>
        queries
          .updateTable('sessions')
          .set(Object.fromEntries(columns.map((name) => [name, argument(name)])))
          .where('id_hash', '=', argument('key')),
      );
      return (await session.run(statement, { ...changes, key: idHash } as Record<string, Value>)) === 1;
    },
    async remove(idHash) {
      const statement = statements.of('sessions remove', (queries, argument) =>
        queries.deleteFrom('sessions').where('id_hash', '=', argument('id')),
      );
      await session.run(statement, { id: idHash });
    },
    removeOf(user, except = '') {
      const statement = statements.of('sessions remove of', (queries, argument) =>
        queries
          .deleteFrom('sessions')
          .where('user_id', '=', argument('user'))
          .where('id_hash', '!=', argument('except')),
      );
      return session.run(statement, { user, except });
    },
    removeIdle(before, limit) {
      const statement = statements.of('sessions remove idle', (queries, argument) =>
        queries
          .deleteFrom('sessions')
          .where(
            'id_hash',
            'in',
            queries
              .selectFrom('sessions')
              .select('id_hash')
              .where('last_seen_at', '<', argument('before'))
              .limit(argument('limit')),
          ),
      );
      return session.run(statement, { before, limit });
    },
  };
}

/** Links that set passwords. */
export function passwordLinksOn(session: Session): PasswordLinks {
  const { statements } = session;
  const table = rowsOn(session, 'password_links');
  return {
    find: (idHash) => table.find('id_hash', idHash),
    add: (link) => table.add(link),
    async removeOf(user) {
      const statement = statements.of('password_links remove of', (queries, argument) =>
        queries.deleteFrom('password_links').where('user_id', '=', argument('user')),
      );
      await session.run(statement, { user });
    },
    removeEnded(before) {
      const statement = statements.of('password_links remove ended', (queries, argument) =>
        queries.deleteFrom('password_links').where('expires_at', '<', argument('before')),
      );
      return session.run(statement, { before });
    },
  };
}

/** Tallies of failed logins. */
export function loginTalliesOn(session: Session): LoginTallies {
  const { statements } = session;
  const some = (queries: Parameters<Parameters<typeof statements.of>[1]>[0]) =>
    queries.selectFrom('login_tallies').select('id').orderBy('ends_s');
  return {
    async lock(ids, blank) {
      // In one order everywhere, so that two units never wait for each other.
      const keys = [...ids].sort();
      const add = statements.of('login_tallies blank', (queries, argument) =>
        queries
          .insertInto('login_tallies')
          .values(Object.fromEntries(['id', ...Object.keys(blank)].map((name) => [name, argument(name)])))
          .onConflict((conflict) => conflict.doNothing()),
      );
      const size = sizeFor(keys.length);
      const statement = statements.of(`login_tallies lock ${size}`, (queries, argument) => {
        const found = among(queries.selectFrom('login_tallies').selectAll(), 'id', size, argument).orderBy('id');
        // One writer at a time is all that SQLite has.
        return statements.engine === 'sqlite' ? found : found.forUpdate();
      });
      const args: Record<string, Value> = {};
      addValues(args, 'id', keys, size);
      // A row that was there may be removed as ended before it is locked; one that this unit has added cannot.
      for (;;) {
        for (const id of keys) await session.run(add, { id, ...blank });
        const locked = await session.all(statement, args);
        if (locked.length === keys.length) return locked as never;
      }
    },
    async put({ id, ...rest }) {
      const columns = Object.keys(rest);
      const statement = statements.of(`login_tallies put ${columns}`, (queries, argument) =>
        queries
          .updateTable('login_tallies')
          .set(Object.fromEntries(columns.map((name) => [name, argument(name)])))
          .where('id', '=', argument('id')),
      );
      await session.run(statement, { id, ...rest });
    },
    async count() {
      const statement = statements.of('login_tallies count', (queries) =>
        queries.selectFrom('login_tallies').select(({ fn }) => fn.countAll<number>().as('count')),
      );
      return (await session.all(statement, {}))[0].count;
    },
    removeEnded(before_s, limit) {
      const statement = statements.of('login_tallies remove ended', (queries, argument) =>
        queries
          .deleteFrom('login_tallies')
          .where('id', 'in', some(queries).where('ends_s', '<=', argument('before')).limit(argument('limit'))),
      );
      return session.run(statement, { before: before_s, limit });
    },
    async removeFirst(limit) {
      const statement = statements.of('login_tallies remove first', (queries, argument) =>
        queries.deleteFrom('login_tallies').where('id', 'in', some(queries).limit(argument('limit'))),
      );
      await session.run(statement, { limit });
    },
  };
}
