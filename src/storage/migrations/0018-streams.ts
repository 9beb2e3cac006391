import type { Migration } from './schema-builder.ts';

/** Stream connections, open and closed. */
export const streams: Migration = {
  name: '0018-streams',
  olderServers: 'stop',
  statements: ({ table, index }) => [
    table('stream_connections', (t) =>
      t
        .text('id')
        .key()
        .text('application_id')
        .text('endpoint_name')
        .text('client_ip')
        .text('connected_at')
        .text('disconnected_at')
        .nullable()
        .text('disconnect_reason')
        .nullable(),
    ),
    index('stream_connections_page', 'stream_connections', ['application_id', 'connected_at', 'id']),
    index('stream_connections_ended', 'stream_connections', ['disconnected_at']),
  ],
};
