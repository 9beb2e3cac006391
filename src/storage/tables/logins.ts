import type { LoginTallies, PasswordLinks, Sessions } from '../../contract/store/logins.ts';
import { bindList, paddedSize, whereIn } from '../core/in-lists.ts';
import type { Session } from '../core/session.ts';
import type { Value } from '../core/statements.ts';
import { tableRows } from '../core/table-rows.ts';

/** Sessions of browsers. */
export function sessionsOn(session: Session): Sessions {
  const { statements } = session;
  const table = tableRows(session, 'sessions');
  return {
    find: (idHash) => table.find('id_hash', idHash),
    async list(user) {
      const statement = statements.cached('sessions list', (db, param) =>
        db
          .selectFrom('sessions')
          .selectAll()
          .where('user_id', '=', param('user'))
          .orderBy('last_seen_at', 'desc')
          .orderBy('id_hash'),
      );
      return (await session.all(statement, { user })) as never;
    },
    add: (one) => table.insert(one),
    async change(idHash, changes) {
      const columns = Object.keys(changes);
      const statement = statements.cached(`sessions change ${columns}`, (db, param) =>
        db
          .updateTable('sessions')
          .set(Object.fromEntries(columns.map((name) => [name, param(name)])))
          .where('id_hash', '=', param('key')),
      );
      return (await session.run(statement, { ...changes, key: idHash } as Record<string, Value>)) === 1;
    },
    async remove(idHash) {
      const statement = statements.cached('sessions remove', (db, param) =>
        db.deleteFrom('sessions').where('id_hash', '=', param('id')),
      );
      await session.run(statement, { id: idHash });
    },
    removeOf(user, except = '') {
      const statement = statements.cached('sessions remove of', (db, param) =>
        db.deleteFrom('sessions').where('user_id', '=', param('user')).where('id_hash', '!=', param('except')),
      );
      return session.run(statement, { user, except });
    },
    removeIdle(before, limit) {
      const statement = statements.cached('sessions remove idle', (db, param) =>
        db
          .deleteFrom('sessions')
          .where(
            'id_hash',
            'in',
            db
              .selectFrom('sessions')
              .select('id_hash')
              .where('last_seen_at', '<', param('before'))
              .limit(param('limit')),
          ),
      );
      return session.run(statement, { before, limit });
    },
  };
}

/** Links that set passwords. */
export function passwordLinksOn(session: Session): PasswordLinks {
  const { statements } = session;
  const table = tableRows(session, 'password_links');
  return {
    find: (idHash) => table.find('id_hash', idHash),
    add: (link) => table.insert(link),
    async removeOf(user) {
      const statement = statements.cached('password_links remove of', (db, param) =>
        db.deleteFrom('password_links').where('user_id', '=', param('user')),
      );
      await session.run(statement, { user });
    },
    removeEnded(before) {
      const statement = statements.cached('password_links remove ended', (db, param) =>
        db.deleteFrom('password_links').where('expires_at', '<', param('before')),
      );
      return session.run(statement, { before });
    },
  };
}

/** Tallies of failed logins. */
export function loginTalliesOn(session: Session): LoginTallies {
  const { statements } = session;
  const some = (db: Parameters<Parameters<typeof statements.cached>[1]>[0]) =>
    db.selectFrom('login_tallies').select('id').orderBy('ends_s');
  return {
    async lock(ids, blank) {
      // In one order everywhere, so that two units never wait for each other.
      const keys = [...ids].sort();
      const add = statements.cached('login_tallies blank', (db, param) =>
        db
          .insertInto('login_tallies')
          .values(Object.fromEntries(['id', ...Object.keys(blank)].map((name) => [name, param(name)])))
          .onConflict((conflict) => conflict.doNothing()),
      );
      const size = paddedSize(keys.length);
      const statement = statements.cached(`login_tallies lock ${size}`, (db, param) => {
        const found = whereIn(db.selectFrom('login_tallies').selectAll(), 'id', size, param).orderBy('id');
        // One writer at a time is all that SQLite has.
        return statements.dialect === 'sqlite' ? found : found.forUpdate();
      });
      const args: Record<string, Value> = {};
      bindList(args, 'id', keys, size);
      // A row that was there may be removed as ended before it is locked; one that this unit has added cannot.
      for (;;) {
        for (const id of keys) await session.run(add, { id, ...blank });
        const locked = await session.all(statement, args);
        if (locked.length === keys.length) return locked as never;
      }
    },
    async put({ id, ...rest }) {
      const columns = Object.keys(rest);
      const statement = statements.cached(`login_tallies put ${columns}`, (db, param) =>
        db
          .updateTable('login_tallies')
          .set(Object.fromEntries(columns.map((name) => [name, param(name)])))
          .where('id', '=', param('id')),
      );
      await session.run(statement, { id, ...rest });
    },
    async count() {
      const statement = statements.cached('login_tallies count', (db) =>
        db.selectFrom('login_tallies').select(({ fn }) => fn.countAll<number>().as('count')),
      );
      return (await session.all(statement, {}))[0].count;
    },
    removeEnded(before_s, limit) {
      const statement = statements.cached('login_tallies remove ended', (db, param) =>
        db
          .deleteFrom('login_tallies')
          .where('id', 'in', some(db).where('ends_s', '<=', param('before')).limit(param('limit'))),
      );
      return session.run(statement, { before: before_s, limit });
    },
    async removeFirst(limit) {
      const statement = statements.cached('login_tallies remove first', (db, param) =>
        db.deleteFrom('login_tallies').where('id', 'in', some(db).limit(param('limit'))),
      );
      await session.run(statement, { limit });
    },
  };
}
