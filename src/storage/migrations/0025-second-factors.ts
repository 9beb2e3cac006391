import type { Migration } from './schema-builder.ts';

/** One-time passwords and recovery codes of users. */
export const secondFactors: Migration = {
  name: '0025-second-factors',
  olderServers: 'stop',
  statements: ({ table }) => [
    table('second_factors', (t) => t.text('user_id').key().text('secret').integer('last_step').text('created_at')),
    table('recovery_codes', (t) => t.text('user_id').key().text('code_hash').key()),
  ],
};
