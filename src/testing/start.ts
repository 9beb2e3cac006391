import { readFileSync } from 'node:fs';
import { eventsOf } from './events.ts';
import { startProcess } from './process.ts';
import { authorizationOf, encoded, formText, type Pairs, type Send, sendWith } from './send.ts';
import { clockOf, faultsOf, requestsOf, surfaceOf, takeSnapshot } from './tools.ts';
import type { Barker, CallOptions, DemoKeys, Parameters, SigningKeys, StartOptions } from './types.ts';

// Taken before tests can replace it by a fake: signatures follow the clock of the machine.
const now = Date.now;

/** Starts a server whose program is a JavaScript file. @throws NotStarted */
export async function startProgram(program: string, options: StartOptions): Promise<Barker> {
  const server = await startProcess(program, options);
  const { base_url, ads_url, sandbox_url, tls_ca, operator_token, data_folder, ...keys } = server.announced;
  const ca = tls_ca === undefined ? undefined : readFileSync(tls_ca, 'utf8');
  const send = sendWith(ca, server.death);
  const origins = { production: base_url!, sandbox: sandbox_url! };
  const dev = surfaceOf(send, origins.production, operator_token!);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= server.stop();
    return closing;
  };
  const call: Barker['call'] = (method, path, options = {}) => {
    const origin = options.sandbox ? origins.sandbox : origins.production;
    return perform(send, { method, origin, path, keys: keys as DemoKeys, call: options }) as Promise<never>;
  };
  return {
    ...{ url: origins.production, sandboxUrl: origins.sandbox, keys: keys as DemoKeys },
    ...{ ca, dataFolder: data_folder!, pid: server.pid },
    get log() {
      return server.log();
    },
    ...{ call, dev, events: eventsOf({ call, keys: keys as DemoKeys }) },
    ...{ clock: clockOf(dev), faults: faultsOf(dev), requests: requestsOf(dev) },
    snapshot: (name) => takeSnapshot(dev, name),
    reset: async (to = 'seed') => void (await dev('POST', '/_dev/reset', { to })),
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface Called {
  readonly method: string;
  readonly origin: string;
  readonly path: string;
  readonly keys: DemoKeys;
  readonly call: CallOptions;
}

async function perform(send: Send, { method, origin, path, keys, call }: Called) {
  const { pathname, searchParams } = new URL(origin + path);
  const query: Pairs = [...searchParams, ...pairsOf(call.query)];
  const form = call.form === undefined ? undefined : pairsOf(call.form);
  const url = origin + pathname;
  const headers: Record<string, string> = {};
  let { body } = call;
  if (form) {
    headers['content-type'] = 'application/x-www-form-urlencoded';
    body = formText(form);
  } else if (call.json !== undefined) {
    headers['content-type'] = 'application/json';
    body = JSON.stringify(call.json);
  }
  for (const [name, value] of Object.entries(call.headers ?? {})) headers[name.toLowerCase()] = value;
  if (headers.authorization === undefined) {
    const signing = call.keys ?? demoKeys(keys, call);
    const unsigned = { method, url, parameters: [...query, ...(form ?? [])], keys: signing };
    headers.authorization = call.bearer
      ? await bearerOf(send, origin, signing)
      : authorizationOf({ ...unsigned, timestamp_s: Math.floor(now() / 1000) });
  }
  return send(query.length === 0 ? url : `${url}?${formText(query)}`, { method, headers, body });
}

/** The header with the bearer token of an application. */
async function bearerOf(send: Send, origin: string, { consumer_key, consumer_secret }: SigningKeys): Promise<string> {
  const pair = Buffer.from(`${encoded(consumer_key)}:${encoded(consumer_secret)}`).toString('base64');
  const { status, body, text } = await send(`${origin}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${pair}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
  });
  if (status === 200) return `Bearer ${(body as { readonly access_token: string }).access_token}`;
  throw new Error(`there is no bearer token: ${status} ${text}`);
}

/** The keys of a user of an application of the demo world. */
function demoKeys(keys: DemoKeys, { as = 'first', app = 'demo' }: CallOptions): SigningKeys {
  const application = app === 'demo' ? '' : `${app}_`;
  const user = as === 'first' ? '' : `${as}_`;
  const find = (name: string): string => {
    const found = keys[name];
    if (found !== undefined) return found;
    throw new Error(`the world has no ${name}: its keys are ${Object.keys(keys).join(', ')}`);
  };
  return {
    consumer_key: find(`${application}consumer_key`),
    consumer_secret: find(`${application}consumer_secret`),
    access_token: find(`${application}${user}access_token`),
    access_token_secret: find(`${application}${user}access_token_secret`),
  };
}

function pairsOf(parameters: Parameters = {}): [string, string][] {
  return Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, typeof value === 'object' ? value.join(',') : String(value)]],
  );
}
