import type { BearerTokens, RequestTokens } from '../../contract/store/grants.ts';
import { removeOldest } from '../core/remove-oldest.ts';
import type { Session } from '../core/session.ts';
import { tableRows, updateRows } from '../core/table-rows.ts';

/** Request tokens. */
export function requestTokensOn(session: Session): RequestTokens {
  const table = tableRows(session, 'request_tokens');
  return {
    find: (token) => table.find('token', token),
    lock: (token) => table.lock('token', token),
    removeEnded: (before, limit) =>
      removeOldest(session, { table: 'request_tokens', key: ['id'], time: 'expires_at' }, before, limit),
    add: (requestToken) => table.insert(requestToken),
    async change(id, from, changes) {
      return (await updateRows(session, 'request_tokens', changes, { id, state: from })) === 1;
    },
    async changeAll({ application, user }, from, changes) {
      const whose = { application_id: application, ...(user !== undefined && { user_id: user }) };
      await updateRows(session, 'request_tokens', changes, { ...whose, state: from });
    },
  };
}

/** Bearer tokens of applications. */
export function bearerTokensOn(session: Session): BearerTokens {
  const table = tableRows(session, 'bearer_tokens');
  return {
    findByHash: (hash) => table.find('token_hash', hash),
    async findOutstanding(application) {
      return session.first('bearer_tokens outstanding', { application }, (db, param) =>
        db
          .selectFrom('bearer_tokens')
          .selectAll()
          .where('application_id', '=', param('application'))
          .where('outstanding', '=', 1),
      );
    },
    add: (bearer) => table.insert(bearer),
    async revoke(id, at) {
      return (
        (await session.run('bearer_tokens revoke', { id, at }, (db, param) =>
          db
            .updateTable('bearer_tokens')
            .set({ outstanding: null, revoked_at: param('at') })
            .where('id', '=', param('id'))
            .where('outstanding', '=', 1),
        )) === 1
      );
    },
    removeRevoked: (before, limit) =>
      removeOldest(session, { table: 'bearer_tokens', key: ['id'], time: 'revoked_at' }, before, limit),
  };
}
