import { formatMillisecond } from '../../../base/instants.ts';
import { Type } from '../../../base/json-schema.ts';
import { callerOf } from '../../../contract/declare/callers.ts';
import { itemsOf, listOf, oneOf, text } from '../../../contract/declare/fields.ts';
import type { Answer, Call, Operation } from '../../../contract/declare/operation.ts';
import { problem } from '../../../contract/problems/problems.ts';
import { ENDPOINT_NAMES, type EndpointName } from '../../../contract/services/streams.ts';
import type { WriteTransaction } from '../../../storage/unit-of-work.ts';

const count = Type.Integer({ minimum: 0 });
const result = Type.Closed({
  uuid: Type.String(),
  success: Type.Boolean(),
  error_message: Type.Union([Type.String(), Type.Null()]),
});

const MEMBERS = {
  uuids: listOf(text({ max: 100 }), { max: 100 })
    .required()
    .describe('Connection ids.'),
};

const common = {
  method: 'DELETE',
  group: 'connections',
  family: 'problem',
  credential: 'bearer',
  shape: 'bare',
  reply: Type.Closed({
    data: Type.Closed({ successful_kills: count, failed_kills: count, results: Type.Array(result) }),
  }),
} as const;

/**
 * Closes connections by id. An id that is not open, or belongs to another application, is listed as failed in the
 * results.
 * @source activity 21.1; decision 376
 */
export const closeConnections: Operation = {
  ...common,
  id: 'connections.close',
  path: '/2/connections',
  description: 'Close streams by connection id.',
  rate: 'connections',
  parameters: {},
  body: 'members',
  bodyMembers: MEMBERS,
  problems: [],
  perform(call) {
    return close(call, async () => itemsOf(String(call.input.uuids)));
  },
};

/** Closes every connection of the application. @source activity 21.1 */
export const closeAllConnections: Operation = {
  ...common,
  id: 'connections.close_all',
  path: '/2/connections/all',
  description: 'Close every stream of the application.',
  rate: 'connections_all',
  parameters: {},
  body: 'form',
  problems: [],
  perform: (call) => close(call, (tx, application) => findOpen(tx, application, ENDPOINT_NAMES)),
};

/** Closes every connection of one endpoint. @source activity 21.1; decision 376 */
export const closeConnectionsOfEndpoint: Operation = {
  ...common,
  id: 'connections.close_endpoint',
  path: '/2/connections/:endpoint_id',
  description: 'Close every stream of one endpoint.',
  rate: 'connections_all',
  parameters: {},
  pathParameters: { endpoint_id: oneOf(...ENDPOINT_NAMES).describe('The name of the endpoint.') },
  body: 'form',
  problems: ['NOT_IN_ENUM'],
  perform(call) {
    const named = call.path.endpoint_id!;
    const endpoint = ENDPOINT_NAMES.find((name) => name === named);
    if (!endpoint) {
      const words = { list: ENDPOINT_NAMES.join(', '), raw: named };
      throw problem('NOT_IN_ENUM', { parameter: 'endpoint_id', words });
    }
    return close(call, (tx, application) => findOpen(tx, application, [endpoint]));
  },
};

async function findOpen(
  tx: WriteTransaction,
  application: string,
  endpoints: readonly EndpointName[],
): Promise<string[]> {
  const open = await tx.streamConnections.listOpen(application);
  return open.filter(({ endpoint_name }) => endpoints.includes(endpoint_name)).map(({ id }) => id);
}

/**
 * Closes the chosen connections. The process that holds a connection closes it before this is acknowledged, or shortly
 * after.
 */
async function close(
  { caller, services }: Call,
  choose: (tx: WriteTransaction, application: string) => Promise<readonly string[]>,
): Promise<Answer> {
  const application = callerOf(caller, 'application').application.id;
  const at = formatMillisecond(services.clock.now());
  const results = await services.store.write(async (tx) => {
    const chosen = await choose(tx, application);
    const found = await tx.streamConnections.list(chosen);
    const own = new Set(found.filter((row) => row.application_id === application).map(({ id }) => id));
    const outcomes = [];
    for (const uuid of chosen) {
      const success = own.has(uuid) && (await tx.streamConnections.end(uuid, 'ForceDisconnect', at));
      const error_message = success ? null : `Could not find an open connection with uuid: [${uuid}].`;
      outcomes.push({ uuid, success, error_message });
    }
    return outcomes;
  });
  const successful_kills = results.filter(({ success }) => success).length;
  const failed_kills = results.length - successful_kills;
  return { data: JSON.stringify({ data: { successful_kills, failed_kills, results } }) };
}
