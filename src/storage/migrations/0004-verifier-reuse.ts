import type { Migration } from './migration.ts';

/** Which access token an exchange made, for services that take it back when the exchange is tried again. */
export const verifierReuse: Migration = {
  name: '0004-verifier-reuse',
  statements: ({ addColumn }) => [addColumn('request_tokens', (t) => t.text('made_token_id').nullable())],
};
