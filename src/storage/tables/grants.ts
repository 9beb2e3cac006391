import type { BearerTokens, RequestTokens } from '../../contract/store/grants.ts';
import type { Session } from '../core/session.ts';
import { tableRows } from '../core/table-rows.ts';

/** Request tokens. */
export function requestTokensOn(session: Session): RequestTokens {
  const { statements } = session;
  const table = tableRows(session, 'request_tokens');
  return {
    find: (token) => table.find('token', token),
    lock: (token) => table.lock('token', token),
    async removeEnded(before, limit) {
      const statement = statements.cached('request_tokens remove', (db, param) =>
        db
          .deleteFrom('request_tokens')
          .where(
            'id',
            'in',
            db
              .selectFrom('request_tokens')
              .select('id')
              .where('expires_at', '<', param('before'))
              .orderBy('expires_at')
              .limit(param('limit')),
          ),
      );
      await session.run(statement, { before, limit });
    },
    add: (requestToken) => table.insert(requestToken),
    async change(id, from, changes) {
      const columns = Object.keys(changes);
      const statement = statements.cached(`request_tokens change ${columns}`, (db, param) =>
        db
          .updateTable('request_tokens')
          .set(Object.fromEntries(columns.map((name) => [name, param(name)])))
          .where('id', '=', param('key_id'))
          .where('state', '=', param('key_state')),
      );
      return (await session.run(statement, { ...changes, key_id: id, key_state: from })) === 1;
    },
    async changeAll({ application, user }, from, changes) {
      const columns = Object.keys(changes);
      const statement = statements.cached(`request_tokens change all ${user === undefined} ${columns}`, (db, param) => {
        const some = db
          .updateTable('request_tokens')
          .set(Object.fromEntries(columns.map((name) => [name, param(name)])))
          .where('application_id', '=', param('key_application'))
          .where('state', '=', param('key_state'));
        return user === undefined ? some : some.where('user_id', '=', param('key_user'));
      });
      const whose = { key_application: application, ...(user !== undefined && { key_user: user }) };
      await session.run(statement, { ...changes, ...whose, key_state: from });
    },
  };
}

/** Application-only tokens. */
export function bearerTokensOn(session: Session): BearerTokens {
  const { statements } = session;
  const table = tableRows(session, 'bearer_tokens');
  return {
    findByHash: (hash) => table.find('token_hash', hash),
    async findOutstanding(application) {
      const statement = statements.cached('bearer_tokens outstanding', (db, param) =>
        db
          .selectFrom('bearer_tokens')
          .selectAll()
          .where('application_id', '=', param('application'))
          .where('outstanding', '=', 1),
      );
      return (await session.all(statement, { application }))[0];
    },
    add: (bearer) => table.insert(bearer),
    async revoke(id, at) {
      const statement = statements.cached('bearer_tokens revoke', (db, param) =>
        db
          .updateTable('bearer_tokens')
          .set({ outstanding: null, revoked_at: param('at') })
          .where('id', '=', param('id'))
          .where('outstanding', '=', 1),
      );
      return (await session.run(statement, { id, at })) === 1;
    },
  };
}
