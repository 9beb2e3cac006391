// On either database: both are asked the same, and what they store is held against each other elsewhere.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { operations } from '../../src/app/dependencies.ts';
import type { Operation } from '../../src/contract/declare/operation.ts';
import { RATES } from '../../src/contract/declare/rates.ts';
import { statusesOf } from '../../src/engine/declared-problems.ts';
import { basic } from '../rig/application.ts';
import { type BreakableWorld, openBreakableWorld } from '../rig/breakable.ts';
import { clientOf, type Reply } from '../rig/client.ts';
import { goodCalls, goodSteps, missingCalls, presenting } from '../rig/good-calls.ts';
import { goodWebhookCalls, webhookConflicts } from '../rig/good-webhook-calls.ts';
import { register } from '../rig/people.ts';
import { LONGEST_WINDOW_S } from '../rig/rate-windows.ts';
import { type RawCall, rawCall } from '../rig/raw.ts';
import { sampled } from '../rig/sampling.ts';
import { shapeOf } from '../rig/shapes.ts';
import { openWorld, type World } from '../rig/world.ts';
import { fill, goodCall, openTestAccount } from './test-account.ts';

const BODY_MAX = 2048;
let world: BreakableWorld;
let limited: World;
let limitedAccount: string;
let flooded: World;
before(async () => {
  world = await openBreakableWorld({ rate_limits: 'off', body_bytes_max: BODY_MAX });
  const settings = Object.values(RATES).map(({ setting }) => [setting, 1]);
  limited = await openWorld({ flags: Object.fromEntries(settings) });
  // The limit of an address is that of a server.
  flooded = await openWorld({ nodes: 1, flags: { rate_requests_per_address_per_min: 1 } });
  limitedAccount = (await openTestAccount(limited)).account;
});
after(async () => {
  await world.close();
  await limited.close();
  await flooded.close();
});

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const UNAVAILABLE = 'Service unavailable due to request timeout; please try the request again later';
const JSON_TYPE = { 'content-type': 'application/json' };

function send(operation: Operation, call: Partial<RawCall> & { names?: Record<string, string> }): Promise<Reply> {
  const target = fill(operation.path, call.names ?? {});
  return rawCall(world.service.sandboxUrl, world.clock, { method: operation.method, target, ...call });
}

/** Sends a good call as an application of its own, or one that is good but for what is changed. */
async function sendGood(operation: Operation, more: Partial<RawCall> = {}): Promise<Reply> {
  const keys = await register(world);
  const { query = '', ...good } = await goodCalls[operation.id]!(world, keys);
  return send(operation, { keys, target: operation.path + query, ...good, ...more });
}

async function sendMissing(operation: Operation): Promise<Reply> {
  return send(operation, { keys: await register(world), ...(await missingCalls[operation.id]!(world)) });
}

async function sendStep(operation: Operation, status: number): Promise<Reply> {
  const keys = await register(world);
  return send(operation, { keys, ...(await goodSteps[status]!(world, keys)) });
}

/** Sends to the service what the operation asks to be presented, once the service has been put into a state. */
async function sendPresented(
  operation: Operation,
  { secret, during = (work) => work() }: { secret?: string; during?: (work: () => Promise<Reply>) => Promise<Reply> },
): Promise<Reply> {
  const present = await presenting(world, world.keys, operation.credential, secret);
  return during(() => send(operation, present()));
}

/** How each status is brought about, and what is said then: in the advertising interface, with numeric codes, and as a title. */
const provocations: Readonly<
  Record<
    number,
    {
      readonly input: string;
      send(operation: Operation): Promise<Reply>;
      readonly ads?: readonly [code: string | number, message: string];
      readonly numeric?: readonly [code: number, message: string];
      readonly problem?: string;
    }
  >
> = {
  200: {
    input: 'a good call',
    async send(operation) {
      if (goodCalls[operation.id]) return sendGood(operation);
      const keys = await register(world);
      const client = clientOf(world.service.sandboxUrl, keys, world.clock);
      const { method, path, sent } = await goodCall(await openTestAccount(world, client), operation);
      return client.call(method, path, sent);
    },
  },
  201: { input: 'a good call that makes something', send: (operation) => sendGood(operation) },
  202: { input: 'a good call that begins something', send: (operation) => sendStep(operation, 202) },
  204: {
    input: 'a good call of which there is nothing to say',
    send: (operation) => (operation.success === 204 ? sendGood(operation) : sendStep(operation, 204)),
  },
  400: {
    input: 'half a JSON document, or the same twice where no JSON is read',
    async send(operation) {
      if (operation.formOnly) return send(operation, twice(operation));
      const keys = await register(world);
      const client = clientOf(world.service.sandboxUrl, keys, world.clock);
      const { account } = await openTestAccount(world, client);
      const { headers, ...signer } = (await presenting(world, keys, operation.credential))();
      const sent = { ...signer, headers: { ...headers, ...JSON_TYPE }, body: '{"name":' };
      return send(operation, { names: { account_id: account }, ...sent });
    },
    ads: ['INVALID_PARAMETER', 'Request body is not valid JSON'],
    numeric: [44, 'body parameter is invalid.'],
    problem: 'Invalid Request',
  },
  401: {
    input: 'a wrong secret',
    send: (operation) => sendPresented(operation, { secret: 'not this one' }),
    ads: ['UNAUTHORIZED_ACCESS', 'This request is not properly authenticated'],
    numeric: [32, 'Could not authenticate you.'],
    problem: 'Unauthorized',
  },
  403: {
    input: 'plain HTTP to a host that is not this machine',
    send: (operation) => send(operation, { headers: { host: 'ads.example' } }),
    ads: [92, 'SSL is required'],
    numeric: [92, 'SSL is required'],
    problem: 'Forbidden',
  },
  404: {
    input: 'an id of nothing',
    send: (operation) =>
      missingCalls[operation.id]
        ? sendMissing(operation)
        : operation.family === 'ads'
          ? send(operation, { names: { account_id: 'a_b' }, keys: world.keys })
          : send(operation, { target: `${operation.path}?user_id=a_b`, keys: world.keys }),
    ads: ['INVALID_ID_ILLEGAL_CHARACTERS', 'Account id a_b has illegal characters'],
    numeric: [50, 'User not found.'],
    problem: 'Not Found Error',
  },
  405: {
    input: 'production',
    send: ({ method, path }) =>
      rawCall(world.service.url, world.clock, { method, target: fill(path, {}), keys: world.keys }),
    ads: ['METHOD_NOT_ALLOWED', '{method} is not allowed on this resource'],
  },
  409: {
    input: 'a second job while one is running',
    send: async (operation) => send(operation, await webhookConflicts[operation.id]!(world)),
    problem: 'Conflict',
  },
  410: {
    input: 'a path whose time is over',
    async send(operation) {
      const end = '2026-03-25T16:00:00Z';
      const late = await openWorld({ flags: { legacy_replay_sunset: end } });
      try {
        late.clock.advance((Date.parse(end) - late.clock.now()) / 1000);
        const call = { method: operation.method, target: operation.path };
        const good = await goodWebhookCalls[operation.id]!(late);
        return await rawCall(late.service.sandboxUrl, late.clock, { ...call, ...good });
      } finally {
        await late.close();
      }
    },
    problem: 'Gone',
  },
  413: {
    input: 'a body beyond the setting',
    send: (operation) => send(operation, { headers: FORM, body: `name=${'x'.repeat(BODY_MAX)}` }),
    ads: ['INVALID_PARAMETER', `The request body has more than ${BODY_MAX} bytes`],
    numeric: [44, `The request body has more than ${BODY_MAX} bytes.`],
    problem: 'Content Too Large',
  },
  429: {
    input: 'a second call in a window of one',
    async send({ method, path, credential, rate, rateProblem }) {
      limited.clock.advance(LONGEST_WINDOW_S);
      // What says it otherwise says it so of the address only.
      if (rateProblem) {
        const call = { method, target: path };
        await rawCall(flooded.service.sandboxUrl, flooded.clock, call);
        return rawCall(flooded.service.sandboxUrl, flooded.clock, call);
      }
      const target = fill(path, { account_id: limitedAccount });
      const present = await presenting(limited, limited.keys, credential);
      const call = (): Promise<Reply> => {
        const { headers, ...signer } = present();
        const sent = { method, target, ...signer, headers: { ...headers, ...JSON_TYPE }, body: '{' };
        return rawCall(limited.service.sandboxUrl, limited.clock, sent);
      };
      const first = await call();
      assert.equal(first.status, 400, first.text);
      const second = await call();
      assert.equal(second.headers.get('retry-after'), String(RATES[rate].window_s));
      return second;
    },
    ads: ['TOO_MANY_REQUESTS', 'Request limit has been exceeded; retry after the time in x-rate-limit-reset'],
    numeric: [88, 'Rate limit exceeded'],
    problem: 'Too Many Requests',
  },
  431: {
    input: 'an Authorization header of 9000 bytes',
    send: (operation) => send(operation, { headers: { authorization: `OAuth ${'x'.repeat(9000)}` } }),
    ads: ['UNAUTHORIZED_ACCESS', 'This request is not properly authenticated'],
    numeric: [215, 'Bad Authentication data.'],
    problem: 'Request Header Fields Too Large',
  },
  500: {
    input: 'a database that fails',
    send: (operation) => sendPresented(operation, { during: world.whileBroken }),
    ads: ['INTERNAL_ERROR', 'Internal error'],
    numeric: [131, 'Internal error'],
    problem: 'Internal Server Error',
  },
  503: {
    input: 'a database that cannot be reached',
    async send(operation) {
      const reply = await sendPresented(operation, { during: world.whileUnreachable });
      assert.equal(reply.headers.get('retry-after'), '1');
      return reply;
    },
    ads: ['SERVICE_UNAVAILABLE', UNAVAILABLE],
    numeric: [130, 'Over capacity'],
    problem: 'Service Unavailable',
  },
};

const tried = sampled(
  operations.flatMap((operation) => statusesOf(operation).map((status) => ({ operation, status }))),
  ({ operation, status }) => `${status} ${shapeOf(operation)} ${operation.credential}`,
  ({ operation, status }) => `${operation.id} ${status}`,
);

for (const operation of operations) {
  describe(operation.id, () => {
    for (const { status } of tried.filter((each) => each.operation === operation)) {
      const provocation = provocations[status];
      test(`${provocation?.input} is answered with ${status}`, async () => {
        assert.ok(provocation, `the table says how to cause ${status}`);
        const reply = await provocation.send(operation);
        assert.equal(reply.status, status, reply.text);
        if (status < 300) return;
        if (operation.family === 'problem') {
          return assert.equal(reply.body.title ?? reply.body.errors[0].title, provocation.problem);
        }
        // What is missing there is said by a table of its own.
        if (status === 404 && missingCalls[operation.id]) return;
        if (operation.formOnly && status === 400) return assert.equal(reply.body.errors[0].code, 44);
        if (operation.family === 'flat' && status === 400) {
          return assert.deepEqual(reply.body, { request: operation.path, error: provocation.ads![1] });
        }
        const [code, message] = provocation[operation.family === 'flat' ? 'numeric' : operation.family]!;
        const said = message.replace('{method}', operation.method);
        assert.deepEqual(reply.body.errors, [{ code, message: said, ...membersOf(operation, status) }]);
      });
    }

    for (const alias of operation.aliases ?? []) {
      test(`answers on ${alias} as well`, async () => {
        const keys = await register(world);
        const { query = '', ...good } = (await goodCalls[operation.id]?.(world, keys)) ?? {};
        const reply = await send(operation, { keys, ...good, target: alias + query });
        assert.equal(reply.status, operation.success ?? 200, reply.text);
      });
    }
  });
}

/** Each parameter of an operation twice, in a form that is good otherwise. */
function twice(operation: Operation): Partial<RawCall> {
  const [name] = Object.keys(operation.parameters);
  return { headers: { ...FORM, authorization: basic(world.keys) }, body: `${name}=a&${name}=a` };
}

/** What an error names beside its code and message. */
function membersOf({ family }: Operation, status: number): object {
  return family === 'ads' && status === 404 ? { parameter: 'account_id', value: 'a_b' } : {};
}
