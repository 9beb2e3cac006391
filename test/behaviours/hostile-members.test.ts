// On either database: what is tried here is decided before the database is asked.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { operations } from '../../src/app/dependencies.ts';
import type { Operation } from '../../src/contract/declare/operation.ts';
import { goodCalls } from '../rig/good-calls.ts';
import { HOSTILE_JSON, HOSTILE_MEMBERS, placesIn, textWith } from '../rig/hostile-values.ts';
import { type RawCall, rawCall } from '../rig/raw.ts';
import { sampler } from '../rig/sampling.ts';
import { openWorld, type World } from '../rig/world.ts';
import { goodCall, openTestAccount, type TestAccount } from './test-account.ts';

let world: World;
let setup: TestAccount;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  setup = await openTestAccount(world);
});
after(() => world.close());

/** A call whose body is JSON, and what the body says. */
interface Structured {
  readonly call: RawCall;
  readonly body: unknown;
}

/** A good call of an operation, where it takes a body of JSON. */
async function structured(operation: Operation): Promise<Structured | undefined> {
  const { method, id } = operation;
  const headers = { 'content-type': 'application/json' };
  if (goodCalls[id]) {
    const { query = '', body = '', ...good } = await goodCalls[id](world, world.keys);
    const [target = '', own] = (good.target ?? operation.path + query).split('?', 2);
    const call = { method, keys: world.keys, ...good, target, headers: { ...good.headers, ...headers } };
    if (good.headers?.['content-type'] === 'application/json') return { call, body: JSON.parse(body) };
    const pairs = [...new URLSearchParams(own), ...new URLSearchParams(body)];
    return operation.body === 'form' && !operation.formOnly ? { call, body: Object.fromEntries(pairs) } : undefined;
  }
  if (operation.family !== 'ads') return undefined;
  const { path, sent } = await goodCall(setup, operation);
  return { call: { method, target: path, keys: world.keys, headers }, body: sent.json ?? sent.params ?? {} };
}

const isStructured = ({ body }: Operation): boolean => ['json', 'object', 'members', 'bytes'].includes(body);

const writing = operations.filter(
  (operation) =>
    operation.method !== 'GET' && (isStructured(operation) || Object.keys(operation.parameters).length > 0),
);

/** Members of a plain body are tried with the others wherever there are parameters. */
function valuesFor(operation: Operation): typeof HOSTILE_JSON {
  return isStructured(operation) ? [...HOSTILE_JSON, ...HOSTILE_MEMBERS] : HOSTILE_MEMBERS;
}

const isTried = sampler();

describe('no value of any member of a JSON body causes an internal error', () => {
  for (const operation of writing) {
    test(operation.id, async () => {
      const good = await structured(operation);
      if (!good) return;
      for (const place of placesIn(good.body)) {
        for (const [what, json] of valuesFor(operation)) {
          const shape = `${operation.body} ${typeOf(good.body, place)} ${what}`;
          if (!isTried(shape, `${operation.id} ${place} ${what}`)) continue;
          const body = textWith(good.body, place, json);
          const { status } = await rawCall(originOf(operation), world.clock, { ...good.call, body });
          assert.ok(status < 500, `${what} at ${place.join('.') || 'the top'} gave ${status}`);
        }
      }
    });
  }
});

/** The JSON type of the value at a place. */
function typeOf(body: unknown, place: readonly string[]): string {
  const value = place.reduce<unknown>((within, name) => (within as Record<string, unknown>)[name], body);
  return value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;
}

/** Where the people of the calls of version 2 are at home, and where the accounts of the others are. */
function originOf({ family }: Operation): string {
  return family === 'ads' ? world.service.sandboxUrl : world.service.url;
}
