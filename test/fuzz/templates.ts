import assert from 'node:assert/strict';
import { operations } from '../../src/app/dependencies.ts';
import type { Operation } from '../../src/contract/declare/operation.ts';
import type { AnyResource } from '../../src/contract/declare/resource.ts';
import { goodCall, openTestAccount, resources, type TestAccount } from '../behaviours/test-account.ts';
import type { Keys } from '../rig/client.ts';
import { goodCalls, presenting } from '../rig/good-calls.ts';
import { register } from '../rig/people.ts';
import type { RawCall } from '../rig/raw.ts';
import type { World } from '../rig/world.ts';
import { atPresent } from './beside.ts';
import type { Call, Pairs } from './call.ts';
import { withRetries } from './with-retries.ts';

/** A call of an operation that succeeds, or would once more if it can be made once only. */
export interface Template {
  readonly operation: Operation;
  /** The resource of the operation, where it is of one. */
  readonly resource: AnyResource | undefined;
  /** The call, anew each time: whoever gets it may change it. */
  call(): Call;
  /** What the body says, where it is one of JSON. */
  readonly json: unknown;
}

/** What cases begin with: calls that are good, on an account of their own. */
export interface Templates {
  readonly all: readonly Template[];
  readonly account: string;
  readonly keys: Keys;
}

const JSON_TYPE = 'application/json';

/** Makes an account with a row of everything, and a call of each operation that is good there. */
export async function prepareTemplates(world: World): Promise<Templates> {
  const setup = await openTestAccount(world);
  const all: Template[] = [];
  for (const operation of operations) {
    const made = await withRetries(() =>
      goodCalls[operation.id] ? otherCall(world, operation) : accountCall(setup, operation),
    );
    const resource = resources.find((each) => operation.id.startsWith(`${each.plural}.`));
    all.push({ operation, resource, ...made });
  }
  return { all, account: setup.account, keys: world.keys };
}

async function accountCall(setup: TestAccount, operation: Operation): Promise<Pick<Template, 'call' | 'json'>> {
  const { world } = setup;
  if (operation.family !== 'ads') {
    // Somebody else, who may lose the token or the name.
    const keys = await register(world);
    return { json: undefined, call: () => plain(world.service.sandboxUrl, operation.method, operation.path, keys) };
  }
  const { method, path, sent } = await goodCall(setup, operation);
  const [own = '', query = ''] = path.split('?', 2);
  const pairs = Object.entries(atPresent(sent.params ?? {})).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  const isForm = (method === 'POST' || method === 'PUT') && sent.json === undefined;
  const json = sent.json;
  return {
    json,
    call: () => ({
      ...plain(world.service.sandboxUrl, method, own, world.keys),
      query: [...new URLSearchParams(query), ...(isForm ? [] : pairs)],
      form: isForm ? [...pairs] : undefined,
      ...(json !== undefined && { body: JSON.stringify(json), headers: [['content-type', JSON_TYPE]] }),
    }),
  };
}

async function otherCall(world: World, operation: Operation): Promise<Pick<Template, 'call' | 'json'>> {
  const { id, method, credential } = operation;
  const { query = '', ...good } = await goodCalls[id]!(world, world.keys);
  const isToken = credential === 'consumer' || credential === 'request-token';
  // A signature is good once: such calls are signed anew.
  const present = isToken ? await presenting(world, world.keys, credential) : (): Partial<RawCall> => good;
  const isJson = good.headers?.['content-type'] === JSON_TYPE;
  const isForm = good.headers?.['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
  return {
    json: isJson ? JSON.parse(good.body!) : undefined,
    call() {
      const { headers = {}, keys, body } = present();
      const [path = '', own = ''] = (good.target ?? operation.path).split('?', 2);
      const pairs: Pairs = [...new URLSearchParams(own || query.slice(1))];
      return {
        ...plain(world.service.sandboxUrl, method, path, 'keys' in good ? keys : (keys ?? world.keys)),
        query: pairs,
        form: isForm ? [...new URLSearchParams(body)] : undefined,
        body: isForm ? undefined : body,
        headers: Object.entries(headers).filter(([name]) => !(isForm && name === 'content-type')),
      };
    },
  };
}

function plain(origin: string, method: string, path: string, keys: Keys | undefined): Call {
  assert.ok(path.startsWith('/'), path);
  return { origin, method, path, query: [], form: undefined, body: undefined, headers: [], keys };
}
