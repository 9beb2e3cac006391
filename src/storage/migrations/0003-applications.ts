import type { Migration } from './migration.ts';

/** What administering applications looks for: those of an owner, their tokens and request tokens; e-mail addresses. */
export const applications: Migration = {
  name: '0003-applications',
  statements: ({ index, addColumn }) => [
    addColumn('users', (t) => t.text('email').nullable()),
    addColumn('applications', (t) => t.integer('email_access').preset(0)),
    index('applications_owner', 'applications', ['owner_user_id', 'id']),
    index('access_tokens_application', 'access_tokens', ['application_id', 'access_level']),
    index('request_tokens_application', 'request_tokens', ['application_id', 'state']),
  ],
};
