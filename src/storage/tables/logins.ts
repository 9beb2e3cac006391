import type { LoginTally, OperatorSession, SentForm, Session as UserSession } from '../../contract/store/logins.ts';
import { insertNew, insertRows } from '../core/bulk-insert.ts';
import type { NewRow } from '../core/database.ts';
import { inList, paddedSize } from '../core/in-lists.ts';
import { Table } from '../core/table.ts';
import { deleteRows, findRow, listRows, updateRows } from '../core/table-rows.ts';

/** Browser sessions. @source decision 510 */
export class Sessions extends Table {
  find(idHash: string) {
    return findRow(this.session, 'sessions', { id_hash: idHash });
  }

  /** The sessions of a user, most recently seen first. */
  list(user: string) {
    return listRows(this.session, 'sessions', { user_id: user }, ['last_seen_at desc', 'id_hash']);
  }

  add(one: UserSession) {
    return insertRows(this.session, 'sessions', [one]);
  }

  /** Returns false when the session no longer exists. */
  async change(
    idHash: string,
    changes: Partial<Pick<UserSession, 'id_hash' | 'last_seen_at' | 'authenticated_at' | 'address'>>,
  ) {
    return (await updateRows(this.session, 'sessions', changes, { id_hash: idHash })) === 1;
  }

  async remove(idHash: string) {
    await deleteRows(this.session, 'sessions', { id_hash: idHash });
  }

  /** Removes the sessions of a user, except one; returns how many. */
  removeOf(user: string, except = '') {
    return this.session.run('sessions remove of', { user, except }, (db, param) =>
      db.deleteFrom('sessions').where('user_id', '=', param('user')).where('id_hash', '!=', param('except')),
    );
  }
}

/** Single-use links that let their bearers set a password, by the SHA-256 of their secrets in hex. @source decision 501 */
export class PasswordLinks extends Table {
  find(idHash: string) {
    return findRow(this.session, 'password_links', { id_hash: idHash });
  }

  add(link: NewRow<'password_links'>) {
    return insertRows(this.session, 'password_links', [link]);
  }

  /** Removes all links of a user. */
  async removeOf(user: string) {
    await deleteRows(this.session, 'password_links', { user_id: user });
  }
}

/** Single-use links that sign operators in, by the SHA-256 of their secrets in hex. @source decision 1060 */
export class OperatorLinks extends Table {
  add(link: NewRow<'operator_links'>) {
    return insertRows(this.session, 'operator_links', [link]);
  }

  /** Removes a link and returns it: of several units of work that take the same one, one gets it. */
  take(idHash: string) {
    return this.session.first('operator_links take', { id: idHash }, (db, param) =>
      db.deleteFrom('operator_links').where('id_hash', '=', param('id')).returningAll(),
    );
  }
}

/** Sessions of the operator console. @source decision 1265 */
export class OperatorSessions extends Table {
  find(idHash: string) {
    return findRow(this.session, 'operator_sessions', { id_hash: idHash });
  }

  /** All of them, most recently seen first. */
  list() {
    return listRows(this.session, 'operator_sessions', {}, ['last_seen_at desc', 'id_hash']);
  }

  add(one: OperatorSession) {
    return insertRows(this.session, 'operator_sessions', [one]);
  }

  /** Does nothing when the session no longer exists. */
  async change(idHash: string, changes: Pick<OperatorSession, 'last_seen_at' | 'address'>) {
    await updateRows(this.session, 'operator_sessions', changes, { id_hash: idHash });
  }

  async remove(idHash: string) {
    await deleteRows(this.session, 'operator_sessions', { id_hash: idHash });
  }
}

/** Forms that pages have sent, so that each is processed once. @source decision 1100 */
export class SentForms extends Table {
  find(idHash: string) {
    return findRow(this.session, 'sent_forms', { id_hash: idHash });
  }

  /** Returns false when it is there already. */
  add(form: SentForm) {
    return insertNew(this.session, 'sent_forms', form);
  }

  async answer(idHash: string, answer: string) {
    await updateRows(this.session, 'sent_forms', { answer }, { id_hash: idHash });
  }

  async remove(idHash: string) {
    await deleteRows(this.session, 'sent_forms', { id_hash: idHash });
  }
}

/** Tallies of failed logins. @source decision 503, 505 */
export class LoginTallies extends Table {
  /** Reads and locks the tallies of these keys until the unit ends; keys without one get `blank`. */
  async lock(ids: readonly string[], blank: Omit<LoginTally, 'id'>): Promise<LoginTally[]> {
    // The same order everywhere, so that two units of work never deadlock.
    const keys = [...ids].sort();
    const size = paddedSize(keys.length);
    // An existing row may be removed as ended before it is locked; a row that this unit of work has added cannot.
    for (;;) {
      for (const id of keys) await insertNew(this.session, 'login_tallies', { id, ...blank });
      const locked = await this.session.all(`login_tallies lock ${size}`, { keys }, (db, param) => {
        const found = db
          .selectFrom('login_tallies')
          .selectAll()
          .where((eb) => inList(eb, 'id', param.list('keys', size)))
          .orderBy('id');
        // SQLite has one writer at a time.
        return this.session.dialect === 'sqlite' ? found : found.forUpdate();
      });
      if (locked.length === keys.length) return locked;
    }
  }

  async put({ id, ...rest }: LoginTally) {
    await updateRows(this.session, 'login_tallies', rest, { id });
  }

  async count() {
    const row = await this.session.first('login_tallies count', {}, (db) =>
      db.selectFrom('login_tallies').select(({ fn }) => fn.countAll<number>().as('count')),
    );
    return row?.count ?? 0;
  }
}
