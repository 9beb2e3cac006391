import type { Migration } from './schema-builder.ts';

/** Details of sessions, password links, failed logins, and forced logins of request tokens. @source decision 507, 510 */
export const logins: Migration = {
  name: '0024-logins',
  olderServers: 'stop',
  statements: ({ table, index, addColumn }) => [
    addColumn('sessions', (t) => t.text('authenticated_at').nullable()),
    addColumn('sessions', (t) => t.text('login_for').nullable()),
    addColumn('sessions', (t) => t.text('browser').defaultTo('')),
    addColumn('sessions', (t) => t.text('address').defaultTo('')),
    index('sessions_user', 'sessions', ['user_id', 'last_seen_at']),
    addColumn('request_tokens', (t) => t.integer('force_login').defaultTo(0)),
    addColumn('users', (t) => t.text('password_changed_at').nullable()),
    table('password_links', (t) => t.text('id_hash').key().text('user_id').text('expires_at')),
    index('password_links_user', 'password_links', ['user_id']),
    table('login_tallies', (t) =>
      t
        .text('id')
        .key()
        .integer('failures')
        .integer('since_s')
        .integer('locked_until_s')
        .integer('locks')
        .integer('ends_s'),
    ),
    index('login_tallies_end', 'login_tallies', ['ends_s']),
  ],
};
