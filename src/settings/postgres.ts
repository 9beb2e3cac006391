import { integer } from './kinds.ts';

const seconds = (amount: number, why: string, bounds: readonly [number, number]) =>
  integer(why, { default: amount, unit: 'seconds', bounds });

/** Settings of the connections to PostgreSQL. */
export const postgresSettings = {
  postgres_connections_max: integer(
    'Size of the connection pool; two more connections are shared by reads, one looks for changes by commands, and one holds the server lock.',
    { default: 10, unit: 'connections', bounds: [1, 200] },
  ),
  postgres_connect_timeout_s: seconds(
    5,
    'How long a request waits for a connection, new or from the pool, before it is answered with 503.',
    [1, 60],
  ),
  postgres_statement_timeout_s: seconds(
    30,
    'PostgreSQL cancels a statement of the server after this, and the request is answered with 503; 0 never cancels. Commands have no limit.',
    [0, 3600],
  ),
  postgres_idle_transaction_timeout_s: seconds(
    10,
    'PostgreSQL ends a transaction that is idle for this long, so that a frozen server holds no locks; 0 never ends it. Give less than 12, so that other servers take over webhooks in time.',
    [0, 3600],
  ),
  postgres_silence_timeout_s: seconds(
    5,
    'A database that does not answer for this long counts as unavailable; its connections are reopened.',
    [2, 60],
  ),
};
