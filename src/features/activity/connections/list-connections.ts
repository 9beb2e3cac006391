import { decodeCursor, encodeCursor } from '../../../base/cursor.ts';
import { formatMillisecond, instantMs } from '../../../base/instants.ts';
import { Type } from '../../../base/json-schema.ts';
import { callerOf } from '../../../contract/declare/callers.ts';
import { integer, itemsOf, listOf, oneOf, text } from '../../../contract/declare/fields.ts';
import type { Operation } from '../../../contract/declare/operation.ts';
import { problem } from '../../../contract/problems/problems.ts';
import {
  type ConnectionStatus,
  DISCONNECTS,
  ENDPOINT_NAMES,
  type EndpointName,
  type StreamConnection,
} from '../../../contract/services/streams.ts';
import { CONNECTION_HISTORY_S } from '../stream/streams.ts';

const PAGE_SIZE = 10;

const connectionSchema = Type.Closed({
  id: Type.String(),
  endpoint_name: Type.Enum([...ENDPOINT_NAMES]),
  client_ip: Type.String(),
  connected_at: Type.String({ format: 'date-time' }),
  disconnected_at: Type.Optional(Type.String({ format: 'date-time' })),
  disconnect_reason: Type.Optional(Type.Enum(Object.keys(DISCONNECTS))),
});

/**
 * The connections of an application: open ones, and those that ended in the last week.
 * @source activity 21.1
 */
export const listConnections: Operation = {
  id: 'connections.list',
  method: 'GET',
  path: '/2/connections',
  description: 'List the streams of the application that are open or ended in the last seven days, newest first.',
  group: 'connections',
  groupDescription: 'Stream connections: list them, see why they ended, close them.',
  family: 'problem',
  credential: 'bearer',
  rate: 'connections',
  parameters: {
    status: oneOf('active', 'inactive', 'all').defaults('active').describe('`active`: open. `inactive`: ended.'),
    endpoints: listOf(oneOf(...ENDPOINT_NAMES), { max: 10 }).describe('Only connections to these endpoints.'),
    max_results: integer({ min: 1, max: 100 }).defaults(PAGE_SIZE),
    pagination_token: text({ max: 500 }).describe('`next_token` of the previous page.'),
  },
  body: 'form',
  shape: 'bare',
  reply: Type.Closed({
    data: Type.Array(connectionSchema),
    meta: Type.Closed({ result_count: Type.Integer({ minimum: 0 }), next_token: Type.Optional(Type.String()) }),
  }),
  problems: ['PAGE_TOKEN_INVALID'],
  async perform({ caller, services, input, now }) {
    const application = callerOf(caller, 'application').application.id;
    const status = (input.status ?? 'active') as ConnectionStatus;
    const endpoints = input.endpoints ? (itemsOf(String(input.endpoints)) as EndpointName[]) : ENDPOINT_NAMES;
    const limit = Number(input.max_results ?? PAGE_SIZE);
    const list = `connections ${application} ${status} ${endpoints}`;
    const since = formatMillisecond(instantMs(now) - CONNECTION_HISTORY_S * 1000);
    const after = input.pagination_token == null ? undefined : decodePosition(String(input.pagination_token), list);
    const query = { application, status, endpoints, since, after, limit: limit + 1 };
    const found = await services.store.read((tx) => tx.streamConnections.page(query));
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const next = found.length > limit && last && encodeCursor({ after: [last.connected_at, last.id] }, list);
    const meta = { result_count: page.length, ...(next && { next_token: next }) };
    return { data: JSON.stringify({ data: page.map(serializeConnection), meta }) };
  },
};

/** @throws PAGE_TOKEN_INVALID */
function decodePosition(token: string, list: string): Pick<StreamConnection, 'connected_at' | 'id'> {
  const [connected_at, id] = decodeCursor(token, list, 2)?.after ?? [];
  if (typeof connected_at === 'string' && typeof id === 'string') return { connected_at, id };
  throw problem('PAGE_TOKEN_INVALID', { parameter: 'pagination_token', words: { raw: token } });
}

function serializeConnection(connection: StreamConnection): Record<string, string> {
  const { id, endpoint_name, client_ip, connected_at, disconnected_at, disconnect_reason } = connection;
  const ended = { ...(disconnected_at && { disconnected_at }), ...(disconnect_reason && { disconnect_reason }) };
  return { id, endpoint_name, client_ip, connected_at, ...ended };
}
