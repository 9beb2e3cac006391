import { sql } from 'kysely';
import type { AccessLevel, AccessToken, Application, Profile, User } from '../../contract/store/credentials.ts';
import { insertRows } from '../core/bulk-insert.ts';
import { allListed, inList } from '../core/in-lists.ts';
import { Table } from '../core/table.ts';
import { findRow, lockRow, updateRows } from '../core/table-rows.ts';

/** A user to register. Omitted members get their defaults: users start unlocked. */
type NewUser = Omit<User, Unsaid> & Partial<Pick<User, Unsaid>>;

type Unsaid = 'locked' | 'password_changed_at' | keyof Profile;

/** Users, applications and tokens. */
export class Credentials extends Table {
  findUser(id: string) {
    return findRow(this.session, 'users', { id });
  }

  /** Which of these users are suspended. */
  async listSuspended(ids: readonly string[]) {
    const rows = await allListed(this.session, 'users suspended', ids, {}, (db, ids) =>
      db
        .selectFrom('users')
        .select('id')
        .where('suspended', '=', sql.lit(1))
        .where((eb) => inList(eb, 'id', ids)),
    );
    return rows.map(({ id }) => id);
  }

  /** The screen names of users by id; unknown ids are absent. */
  async findScreenNames(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await allListed(this.session, 'users names', ids, {}, (db, ids) =>
      db
        .selectFrom('users')
        .select(['id', 'screen_name'])
        .where((eb) => inList(eb, 'id', ids)),
    );
    return new Map(rows.map(({ id, screen_name }) => [id, screen_name]));
  }

  findUserByName(screenName: string) {
    return findRow(this.session, 'users', { screen_name_folded: screenName.toLowerCase() });
  }

  /** The users with one of these screen names, case-insensitive. */
  async findUsersByNames(names: readonly string[]): Promise<User[]> {
    return await allListed(
      this.session,
      'users by names',
      names.map((name) => name.toLowerCase()),
      {},
      (db, names) =>
        db
          .selectFrom('users')
          .selectAll()
          .where((eb) => inList(eb, 'screen_name_folded', names)),
    );
  }

  /** Users by name: the first `limit` after a lower-case name. */
  listUsers({ after, limit }: { after: string; limit: number }) {
    return this.session.all('users list', { after, limit }, (db, param) =>
      db
        .selectFrom('users')
        .selectAll()
        .where('screen_name_folded', '>', param('after'))
        .orderBy('screen_name_folded')
        .limit(param('limit')),
    );
  }

  findApplication(id: string) {
    return findRow(this.session, 'applications', { id });
  }

  findApplicationByKey(consumerKey: string) {
    return findRow(this.session, 'applications', { consumer_key: consumerKey });
  }

  findToken(token: string) {
    return findRow(this.session, 'access_tokens', { token });
  }

  /** Unrevoked tokens of a user for an application. */
  findLiveTokens(user: string, application: string) {
    return this.session.all('access_tokens live', { user, application }, (db, param) =>
      db
        .selectFrom('access_tokens')
        .selectAll()
        .where('user_id', '=', param('user'))
        .where('application_id', '=', param('application'))
        .where('revoked_at', 'is', null)
        .orderBy('id'),
    );
  }

  findApplicationByName(name: string) {
    return findRow(this.session, 'applications', { name });
  }

  /** Applications by id, of one owner or all: the first `limit` after an id. */
  listApplications({ owner, after, limit }: { owner?: string; after: string; limit: number }) {
    return this.session.all(
      `applications list${owner === undefined ? '' : ' of owner'}`,
      { ...(owner !== undefined && { owner }), after, limit },
      (db, param) => {
        const some = db.selectFrom('applications').selectAll().where('id', '>', param('after'));
        const own = owner === undefined ? some : some.where('owner_user_id', '=', param('owner'));
        return own.orderBy('id').limit(param('limit'));
      },
    );
  }

  /** Unrevoked tokens of a user, by application. */
  listTokensOf(user: string) {
    return this.session.all('access_tokens of', { user }, (db, param) =>
      db
        .selectFrom('access_tokens')
        .selectAll()
        .where('user_id', '=', param('user'))
        .where('revoked_at', 'is', null)
        .orderBy('application_id')
        .orderBy('id'),
    );
  }

  /** How many unrevoked tokens an application has, by level. */
  listTokenCounts(application: string) {
    return this.session.all('access_tokens counts', { application }, (db, param) =>
      db
        .selectFrom('access_tokens')
        .select(({ fn }) => ['access_level', fn.countAll<number>().as('count')])
        .where('application_id', '=', param('application'))
        .where('revoked_at', 'is', null)
        .groupBy('access_level')
        .orderBy('access_level'),
    );
  }

  /** Unrevoked tokens of an application with a level other than `level`, with the names of their users. */
  listOtherTokens(application: string, level: AccessLevel, limit: number) {
    return this.session.all('access_tokens beside', { application, level, limit }, (db, param) =>
      db
        .selectFrom('access_tokens')
        .innerJoin('users', 'users.id', 'access_tokens.user_id')
        .select(['user_id', 'screen_name', 'access_level', 'access_tokens.created_at', 'last_used_at'])
        .where('application_id', '=', param('application'))
        .where('access_level', '!=', param('level'))
        .where('revoked_at', 'is', null)
        .orderBy('access_tokens.created_at')
        .orderBy('access_tokens.id')
        .limit(param('limit')),
    );
  }

  /** A demo application, if one is stored. */
  findDemo() {
    return findRow(this.session, 'applications', { demo: 1 });
  }

  /** An arbitrary application, if one is stored. */
  findSomeApplication() {
    return this.session.first('applications some', {}, (db) =>
      db.selectFrom('applications').selectAll().orderBy('id').limit(1),
    );
  }

  /** Finds and locks a user until the unit ends. */
  lockUser(id: string) {
    return lockRow(this.session, 'users', { id });
  }

  /** Finds and locks an application until the unit ends. */
  lockApplication(id: string) {
    return lockRow(this.session, 'applications', { id });
  }

  async changeUser(id: string, changes: Partial<Omit<User, 'id' | 'created_at'>>) {
    const { screen_name } = changes;
    await updateRows(
      this.session,
      'users',
      {
        ...changes,
        ...(screen_name !== undefined && { screen_name_folded: screen_name.toLowerCase() }),
      },
      { id },
    );
  }

  async changeApplication(id: string, changes: Partial<Omit<Application, 'id'>>) {
    await updateRows(this.session, 'applications', changes, { id });
  }

  /** Records the day on which tokens were last used. @source decision 103 */
  async recordUse(tokens: readonly string[], day: string) {
    for (const id of tokens) await updateRows(this.session, 'access_tokens', { last_used_at: day }, { id });
  }

  addUser(user: NewUser) {
    return insertRows(this.session, 'users', [{ ...user, screen_name_folded: user.screen_name.toLowerCase() }]);
  }

  addApplication(application: Application) {
    return insertRows(this.session, 'applications', [application]);
  }

  addToken(token: AccessToken) {
    return insertRows(this.session, 'access_tokens', [token]);
  }

  /** Marks a token as revoked; returns true when it was not revoked before. */
  async revokeToken(id: string, at: string) {
    return (
      (await this.session.run('access_tokens revoke', { id, at }, (db, param) =>
        db
          .updateTable('access_tokens')
          .set({ revoked_at: param('at') })
          .where('id', '=', param('id'))
          .where('revoked_at', 'is', null),
      )) === 1
    );
  }
}
