import type {
  LoginTallies,
  OperatorLinks,
  OperatorSessions,
  PasswordLinks,
  SentForms,
  Sessions,
} from '../../contract/store/logins.ts';
import { inList, paddedSize } from '../core/in-lists.ts';
import { removeOldest } from '../core/remove-oldest.ts';
import type { Session } from '../core/session.ts';
import { tableRows, updateRows } from '../core/table-rows.ts';

/** Browser sessions. @source decision 510 */
export function sessionsOn(session: Session): Sessions {
  const table = tableRows(session, 'sessions');
  return {
    find: (idHash) => table.find('id_hash', idHash),
    async list(user) {
      return await session.all('sessions list', { user }, (db, param) =>
        db
          .selectFrom('sessions')
          .selectAll()
          .where('user_id', '=', param('user'))
          .orderBy('last_seen_at', 'desc')
          .orderBy('id_hash'),
      );
    },
    add: (one) => table.insert(one),
    async change(idHash, changes) {
      return (await updateRows(session, 'sessions', changes, { id_hash: idHash })) === 1;
    },
    async remove(idHash) {
      await session.run('sessions remove', { id: idHash }, (db, param) =>
        db.deleteFrom('sessions').where('id_hash', '=', param('id')),
      );
    },
    removeOf(user, except = '') {
      return session.run('sessions remove of', { user, except }, (db, param) =>
        db.deleteFrom('sessions').where('user_id', '=', param('user')).where('id_hash', '!=', param('except')),
      );
    },
    removeIdle: (before, limit) =>
      removeOldest(session, { table: 'sessions', key: ['id_hash'], time: 'last_seen_at' }, before, limit),
  };
}

/** Links for setting a password. @source decision 501 */
export function passwordLinksOn(session: Session): PasswordLinks {
  const table = tableRows(session, 'password_links');
  return {
    find: (idHash) => table.find('id_hash', idHash),
    add: (link) => table.insert(link),
    async removeOf(user) {
      await session.run('password_links remove of', { user }, (db, param) =>
        db.deleteFrom('password_links').where('user_id', '=', param('user')),
      );
    },
    removeEnded: (before, limit) =>
      removeOldest(session, { table: 'password_links', key: ['id_hash'], time: 'expires_at' }, before, limit),
  };
}

/** Links that sign operators in. @source decision 1060 */
export function operatorLinksOn(session: Session): OperatorLinks {
  return {
    add: (link) => tableRows(session, 'operator_links').insert(link),
    take: (idHash) =>
      session.first('operator_links take', { id: idHash }, (db, param) =>
        db.deleteFrom('operator_links').where('id_hash', '=', param('id')).returningAll(),
      ),
    removeEnded: (before, limit) =>
      removeOldest(session, { table: 'operator_links', key: ['id_hash'], time: 'expires_at' }, before, limit),
  };
}

/** Sessions of the operator console. @source decision 1265 */
export function operatorSessionsOn(session: Session): OperatorSessions {
  const table = tableRows(session, 'operator_sessions');
  return {
    find: (idHash) => table.find('id_hash', idHash),
    list: () =>
      session.all('operator_sessions list', {}, (db) =>
        db.selectFrom('operator_sessions').selectAll().orderBy('last_seen_at', 'desc').orderBy('id_hash'),
      ),
    add: (one) => table.insert(one),
    async change(idHash, changes) {
      await updateRows(session, 'operator_sessions', changes, { id_hash: idHash });
    },
    async remove(idHash) {
      await session.run('operator_sessions remove', { id: idHash }, (db, param) =>
        db.deleteFrom('operator_sessions').where('id_hash', '=', param('id')),
      );
    },
    removeIdle: (before, limit) =>
      removeOldest(session, { table: 'operator_sessions', key: ['id_hash'], time: 'last_seen_at' }, before, limit),
  };
}

/** Forms that pages have sent. @source decision 1100 */
export function sentFormsOn(session: Session): SentForms {
  return {
    find: (idHash) => tableRows(session, 'sent_forms').find('id_hash', idHash),
    async add(form) {
      const added = await session.run('sent_forms add', { ...form }, (db, param) =>
        db
          .insertInto('sent_forms')
          .values({ id_hash: param('id_hash'), sent_at: param('sent_at'), answer: param('answer') })
          .onConflict((conflict) => conflict.doNothing()),
      );
      return added === 1;
    },
    async answer(idHash, answer) {
      await updateRows(session, 'sent_forms', { answer }, { id_hash: idHash });
    },
    async remove(idHash) {
      await session.run('sent_forms remove', { id: idHash }, (db, param) =>
        db.deleteFrom('sent_forms').where('id_hash', '=', param('id')),
      );
    },
    removeSent: (before, limit) =>
      removeOldest(session, { table: 'sent_forms', key: ['id_hash'], time: 'sent_at' }, before, limit),
  };
}

/** Tallies of failed logins. @source decision 503, 505 */
export function loginTalliesOn(session: Session): LoginTallies {
  return {
    async lock(ids, blank) {
      // The same order everywhere, so that two units of work never deadlock.
      const keys = [...ids].sort();
      const size = paddedSize(keys.length);
      // An existing row may be removed as ended before it is locked; a row that this unit of work has added cannot.
      for (;;) {
        for (const id of keys)
          await session.run('login_tallies blank', { id, ...blank }, (db, param) =>
            db
              .insertInto('login_tallies')
              .values({
                id: param('id'),
                failures: param('failures'),
                since_s: param('since_s'),
                locked_until_s: param('locked_until_s'),
                locks: param('locks'),
                ends_s: param('ends_s'),
              })
              .onConflict((conflict) => conflict.doNothing()),
          );
        const locked = await session.all(`login_tallies lock ${size}`, { keys }, (db, param) => {
          const found = db
            .selectFrom('login_tallies')
            .selectAll()
            .where((eb) => inList(eb, 'id', param.list('keys', size)))
            .orderBy('id');
          // SQLite has one writer at a time.
          return session.dialect === 'sqlite' ? found : found.forUpdate();
        });
        if (locked.length === keys.length) return locked;
      }
    },
    async put({ id, ...rest }) {
      await updateRows(session, 'login_tallies', rest, { id });
    },
    async count() {
      const row = await session.first('login_tallies count', {}, (db) =>
        db.selectFrom('login_tallies').select(({ fn }) => fn.countAll<number>().as('count')),
      );
      return row?.count ?? 0;
    },
    removeEnded: (before_s, limit) =>
      removeOldest(session, { table: 'login_tallies', key: ['id'], time: 'ends_s' }, before_s + 1, limit),
    removeFirst: (limit) =>
      removeOldest(session, { table: 'login_tallies', key: ['id'], time: 'ends_s' }, Number.MAX_SAFE_INTEGER, limit),
  };
}
