import type { Migration } from './schema-builder.ts';

/** Finds the rows that are removed because of their age. @source decision 1225 */
export const ages: Migration = {
  name: '0057-ages',
  olderServers: 'continue',
  statements: ({ index }) => [
    index('account_changes_by_time', 'account_changes', ['change_time']),
    index('access_tokens_by_revocation', 'access_tokens', ['revoked_at']),
    index('bearer_tokens_by_revocation', 'bearer_tokens', ['revoked_at']),
    index('notifications_by_time', 'notifications', ['created_at']),
  ],
};
