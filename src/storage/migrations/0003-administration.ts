import type { Migration } from './schema-builder.ts';

/**
 * Administration of users and applications: applications by owner, their tokens and request tokens; e-mail addresses
 * and locks of users; the access token that an exchange issued.
 * @source decision 89
 */
export const administration: Migration = {
  name: '0003-administration',
  olderServers: 'stop',
  statements: ({ index, addColumn }) => [
    addColumn('users', (t) => t.text('email').nullable()),
    addColumn('users', (t) => t.integer('locked').defaultTo(0)),
    addColumn('applications', (t) => t.integer('email_access').defaultTo(0)),
    addColumn('request_tokens', (t) => t.text('made_token_id').nullable()),
    index('applications_owner', 'applications', ['owner_user_id', 'id']),
    index('access_tokens_application', 'access_tokens', ['application_id', 'access_level']),
    index('request_tokens_application', 'request_tokens', ['application_id', 'state']),
  ],
};
