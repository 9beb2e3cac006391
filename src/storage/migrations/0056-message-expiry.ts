import type { Migration } from './schema-builder.ts';

/** Finds direct messages and read marks that have expired. @source decision 1210 */
export const messageExpiry: Migration = {
  name: '0056-message-expiry',
  olderServers: 'continue',
  statements: ({ index }) => [
    index('messages_created', 'messages', ['created_at', 'id']),
    index('message_reads_last', 'message_reads', ['last_read_id']),
  ],
};
