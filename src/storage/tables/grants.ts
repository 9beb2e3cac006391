import type { BearerTokens, RequestTokens } from '../../contract/store/grants.ts';
import { rowsOn } from '../core/rows.ts';
import type { Session } from '../core/session.ts';

/** Request tokens. */
export function requestTokensOn(session: Session): RequestTokens {
  const { statements } = session;
  const table = rowsOn(session, 'request_tokens');
  return {
    find: (token) => table.find('token', token),
    lock: (token) => table.lock('token', token),
    async removeEnded(before, limit) {
      const statement = statements.of('request_tokens remove', (queries, argument) =>
        queries
          .deleteFrom('request_tokens')
          .where(
            'id',
            'in',
            queries
              .selectFrom('request_tokens')
              .select('id')
              .where('expires_at', '<', argument('before'))
              .orderBy('expires_at')
              .limit(argument('limit')),
          ),
      );
      await session.run(statement, { before, limit });
    },
    add: (requestToken) => table.add(requestToken),
    async change(id, from, changes) {
      const columns = Object.keys(changes);
      const statement = statements.of(`request_tokens change ${columns}`, (queries, argument) =>
        queries
          .updateTable('request_tokens')
          .set(Object.fromEntries(columns.map((name) => [name, argument(name)])))
          .where('id', '=', argument('key_id'))
          .where('state', '=', argument('key_state')),
      );
      return (await session.run(statement, { ...changes, key_id: id, key_state: from })) === 1;
    },
    async changeAll({ application, user }, from, changes) {
      const columns = Object.keys(changes);
      const statement = statements.of(
        `request_tokens change all ${user === undefined} ${columns}`,
        (queries, argument) => {
          const some = queries
            .updateTable('request_tokens')
            .set(Object.fromEntries(columns.map((name) => [name, argument(name)])))
            .where('application_id', '=', argument('key_application'))
            .where('state', '=', argument('key_state'));
          return user === undefined ? some : some.where('user_id', '=', argument('key_user'));
        },
      );
      const whose = { key_application: application, ...(user !== undefined && { key_user: user }) };
      await session.run(statement, { ...changes, ...whose, key_state: from });
    },
  };
}

/** Application-only tokens. */
export function bearerTokensOn(session: Session): BearerTokens {
  const { statements } = session;
  const table = rowsOn(session, 'bearer_tokens');
  return {
    findByHash: (hash) => table.find('token_hash', hash),
    async findOutstanding(application) {
      const statement = statements.of('bearer_tokens outstanding', (queries, argument) =>
        queries
          .selectFrom('bearer_tokens')
          .selectAll()
          .where('application_id', '=', argument('application'))
          .where('outstanding', '=', 1),
      );
      return (await session.all(statement, { application }))[0];
    },
    add: (bearer) => table.add(bearer),
    async revoke(id, at) {
      const statement = statements.of('bearer_tokens revoke', (queries, argument) =>
        queries
          .updateTable('bearer_tokens')
          .set({ outstanding: null, revoked_at: argument('at') })
          .where('id', '=', argument('id'))
          .where('outstanding', '=', 1),
      );
      return (await session.run(statement, { id, at })) === 1;
    },
  };
}
