import { amount } from './kinds.ts';

/** Settings of the connections to PostgreSQL. */
export const postgresSettings = {
  postgres_connections_max: amount(
    'Size of the connection pool; two more connections are shared by reads, one looks for changes by commands, and one holds the server lock.',
    10,
    'connections',
    [1, 200],
  ),
  postgres_connect_timeout_s: amount(
    'How long a request waits for a connection, new or from the pool, before it is answered with 503.',
    5,
    'seconds',
    [1, 60],
  ),
  postgres_statement_timeout_s: amount(
    'PostgreSQL cancels a statement of the server after this, and the request is answered with 503; 0 never cancels. Commands have no limit.',
    30,
    'seconds',
    [0, 3600],
  ),
  postgres_idle_transaction_timeout_s: amount(
    'PostgreSQL ends a transaction that is idle for this long, so that a frozen server holds no locks; 0 never ends it. Give less than 12, so that other servers take over webhooks in time.',
    10,
    'seconds',
    [0, 3600],
  ),
  postgres_silence_timeout_s: amount(
    'A database that does not answer for this long counts as unavailable; its connections are reopened.',
    5,
    'seconds',
    [2, 60],
  ),
};
