import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Operation } from '../../src/contract/operation.ts';
import { RATES } from '../../src/contract/rates.ts';
import { statusesOf } from '../../src/engine/raises.ts';
import { operations } from '../../src/server.ts';
import { type BreakableWorld, openBreakableWorld } from '../rig/breakable.ts';
import { clientOf, type Reply } from '../rig/client.ts';
import { register } from '../rig/people.ts';
import { type RawCall, rawCall } from '../rig/raw.ts';
import { openWorld, type World } from '../rig/world.ts';
import { fill, goodCall, openGround } from './ground.ts';

const BODY_MAX = 2048;
let world: BreakableWorld;
let limited: World;
let limitedAccount: string;
before(async () => {
  world = await openBreakableWorld({ rate_limits: 'off', body_bytes_max: BODY_MAX });
  const settings = Object.values(RATES).map(({ setting }) => [setting, 1]);
  limited = await openWorld({ flags: Object.fromEntries(settings) });
  limitedAccount = (await openGround(limited)).account;
});
after(async () => {
  await world.close();
  await limited.close();
});

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const UNAVAILABLE = 'Service unavailable due to request timeout; please try the request again later';
const JSON_TYPE = { 'content-type': 'application/json' };

function send(operation: Operation, call: Partial<RawCall> & { names?: Record<string, string> }): Promise<Reply> {
  const target = fill(operation.path, call.names ?? {});
  return rawCall(world.service.sandboxUrl, world.clock, { method: operation.method, target, ...call });
}

/** How each status is brought about, and what is said then: in the advertising interface, and with numeric codes. */
const provocations: Readonly<
  Record<
    number,
    {
      readonly given: string;
      send(operation: Operation): Promise<Reply>;
      readonly ads?: readonly [code: string | number, message: string];
      readonly numeric?: readonly [code: number, message: string];
    }
  >
> = {
  200: {
    given: 'a good call',
    async send(operation) {
      const keys = await register(world);
      const client = clientOf(world.service.sandboxUrl, keys, world.clock);
      const { method, path, sent } = await goodCall(await openGround(world, client), operation);
      return client.call(method, path, sent);
    },
  },
  400: {
    given: 'half a JSON document',
    async send(operation) {
      const keys = await register(world);
      const client = clientOf(world.service.sandboxUrl, keys, world.clock);
      const { account } = await openGround(world, client);
      return send(operation, { names: { account_id: account }, keys, headers: JSON_TYPE, body: '{"name":' });
    },
    ads: ['INVALID_PARAMETER', 'Request body is not valid JSON'],
    numeric: [44, 'body parameter is invalid.'],
  },
  401: {
    given: 'a wrong secret',
    send: (operation) => send(operation, { keys: { ...world.keys, consumer_secret: 'not this one' } }),
    ads: ['UNAUTHORIZED_ACCESS', 'This request is not properly authenticated'],
    numeric: [32, 'Could not authenticate you.'],
  },
  403: {
    given: 'plain HTTP to a host that is not this machine',
    send: (operation) => send(operation, { headers: { host: 'ads.example' } }),
    ads: [92, 'SSL is required'],
    numeric: [92, 'SSL is required'],
  },
  404: {
    given: 'an account id that no id can be',
    send: (operation) => send(operation, { names: { account_id: 'a_b' }, keys: world.keys }),
    ads: ['INVALID_ID_ILLEGAL_CHARACTERS', 'Account id a_b has illegal characters'],
  },
  405: {
    given: 'production',
    send: ({ method, path }) =>
      rawCall(world.service.url, world.clock, { method, target: fill(path, {}), keys: world.keys }),
    ads: ['METHOD_NOT_ALLOWED', '{method} is not allowed on this resource'],
  },
  413: {
    given: 'a body beyond the setting',
    send: (operation) => send(operation, { headers: FORM, body: `name=${'x'.repeat(BODY_MAX)}` }),
    ads: ['INVALID_PARAMETER', `The request body has more than ${BODY_MAX} bytes`],
    numeric: [44, `The request body has more than ${BODY_MAX} bytes.`],
  },
  429: {
    given: 'a second call in a window of one',
    async send({ method, path }) {
      limited.clock.advance(901);
      const target = fill(path, { account_id: limitedAccount });
      const call = { method, target, keys: limited.keys, headers: JSON_TYPE, body: '{' };
      const first = await rawCall(limited.service.sandboxUrl, limited.clock, call);
      assert.equal(first.status, 400, first.text);
      const second = await rawCall(limited.service.sandboxUrl, limited.clock, call);
      assert.match(second.headers.get('retry-after') ?? '', /^(60|900)$/);
      return second;
    },
    ads: ['TOO_MANY_REQUESTS', 'Request limit has been exceeded; retry after the time in x-rate-limit-reset'],
    numeric: [88, 'Rate limit exceeded'],
  },
  431: {
    given: 'an Authorization header of 9000 bytes',
    send: (operation) => send(operation, { headers: { authorization: `OAuth ${'x'.repeat(9000)}` } }),
    ads: ['UNAUTHORIZED_ACCESS', 'This request is not properly authenticated'],
    numeric: [215, 'Bad Authentication data.'],
  },
  500: {
    given: 'a database that fails',
    send: (operation) => world.whileBroken(() => send(operation, { keys: world.keys })),
    ads: ['INTERNAL_ERROR', 'Internal error'],
    numeric: [131, 'Internal error'],
  },
  503: {
    given: 'a database that cannot be reached',
    async send(operation) {
      const reply = await world.whileUnreachable(() => send(operation, { keys: world.keys }));
      assert.equal(reply.headers.get('retry-after'), '1');
      return reply;
    },
    ads: ['SERVICE_UNAVAILABLE', UNAVAILABLE],
    numeric: [130, 'Over capacity'],
  },
};

for (const operation of operations) {
  describe(operation.id, () => {
    for (const status of statusesOf(operation)) {
      const provocation = provocations[status];
      test(`${provocation?.given} is answered with ${status}`, async () => {
        assert.ok(provocation, `say here how ${status} is brought about`);
        const reply = await provocation.send(operation);
        assert.equal(reply.status, status, reply.text);
        if (status === 200) return;
        const [code, message] = provocation[operation.family]!;
        const said = message.replace('{method}', operation.method);
        assert.deepEqual(reply.body.errors, [{ code, message: said, ...membersOf(status) }]);
      });
    }

    for (const alias of operation.aliases ?? []) {
      test(`answers on ${alias} as well`, async () => {
        const reply = await send({ ...operation, path: alias }, { keys: await register(world) });
        assert.equal(reply.status, 200, reply.text);
      });
    }
  });
}

/** What an error names beside its code and message. */
function membersOf(status: number): object {
  return status === 404 ? { parameter: 'account_id', value: 'a_b' } : {};
}
