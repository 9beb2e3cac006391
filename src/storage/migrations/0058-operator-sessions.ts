import type { Migration } from './schema-builder.ts';

/** Sessions of the operator console. @source decision 1265 */
export const operatorSessions: Migration = {
  name: '0058-operator-sessions',
  olderServers: 'continue',
  statements: ({ table, index }) => [
    table('operator_sessions', (t) =>
      t
        .text('id_hash')
        .key()
        .text('operator')
        .text('form_token')
        .text('created_at')
        .text('last_seen_at')
        .text('browser')
        .text('address'),
    ),
    index('operator_sessions_seen', 'operator_sessions', ['last_seen_at']),
  ],
};
