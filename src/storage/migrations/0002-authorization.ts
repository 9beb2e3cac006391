import type { Migration } from './schema-builder.ts';

/** Request tokens, bearer tokens, browser sessions, and what consent pages show of an application. */
export const authorization: Migration = {
  name: '0002-authorization',
  olderServers: 'stop',
  statements: ({ table, index, uniqueIndex, addColumn }) => [
    table('request_tokens', (t) =>
      t
        .text('id')
        .key()
        .text('token')
        .unique()
        .text('token_secret')
        .text('application_id')
        .text('callback')
        .text('access_level')
        .text('state')
        .text('user_id')
        .nullable()
        .text('verifier_hash')
        .nullable()
        .integer('attempts')
        .text('address')
        .text('created_at')
        .text('expires_at'),
    ),
    index('request_tokens_expiry', 'request_tokens', ['expires_at']),
    table('bearer_tokens', (t) =>
      t
        .text('id')
        .key()
        .text('application_id')
        .text('token_hash')
        .unique()
        .text('token')
        .integer('outstanding')
        .nullable()
        .text('created_at')
        .text('revoked_at')
        .nullable(),
    ),
    // Nulls never equal each other, so only outstanding tokens must be unique.
    uniqueIndex('bearer_tokens_outstanding', 'bearer_tokens', ['application_id', 'outstanding']),
    table('sessions', (t) =>
      t.text('id_hash').key().text('user_id').nullable().text('form_token').text('created_at').text('last_seen_at'),
    ),
    index('sessions_seen', 'sessions', ['last_seen_at']),
    ...['description', 'website_url', 'terms_url', 'privacy_url', 'organization_name', 'organization_url'].map((name) =>
      addColumn('applications', (t) => t.text(name).defaultTo('')),
    ),
    addColumn('applications', (t) => t.integer('native').defaultTo(0)),
    addColumn('applications', (t) => t.integer('extra_query').defaultTo(0)),
    addColumn('access_tokens', (t) => t.text('last_used_at').nullable()),
  ],
};
