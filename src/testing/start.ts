import { readFileSync } from 'node:fs';
import { createEvents } from './events.ts';
import { startProcess } from './process.ts';
import { createSend, encode, encodeForm, type Pairs, type Send, signRequest } from './send.ts';
import { createClock, createDevCall, createFaults, createRequests, takeSnapshot } from './tools.ts';
import type { Barker, CallOptions, DemoKeys, Parameters, SigningKeys, StartOptions } from './types.ts';

// Captured before tests can replace it: signatures follow the clock of the machine.
const now = Date.now;

/** Starts a server whose program is a JavaScript file. @throws NotStarted */
export async function startProgram(program: string, options: StartOptions): Promise<Barker> {
  const server = await startProcess(program, options);
  const { ads_url, tls_ca, operator_token, data_folder, ...keys } = server.announcement;
  const ca = tls_ca === undefined ? undefined : readFileSync(tls_ca, 'utf8');
  const send = createSend(ca, server.death);
  const origins = { production: keys.base_url!, sandbox: keys.sandbox_url! };
  const dev = createDevCall(send, origins.production, operator_token!);
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
    ...{ call, dev, events: createEvents({ call, keys: keys as DemoKeys }) },
    ...{ clock: createClock(dev), faults: createFaults(dev), requests: createRequests(dev) },
    snapshot: (name) => takeSnapshot(dev, name),
    reset: async (to = 'seed') => void (await dev('POST', '/_dev/reset', { to })),
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface CallRequest {
  readonly method: string;
  readonly origin: string;
  readonly path: string;
  readonly keys: DemoKeys;
  readonly call: CallOptions;
}

async function perform(send: Send, { method, origin, path, keys, call }: CallRequest) {
  const { pathname, searchParams } = new URL(origin + path);
  const query: Pairs = [...searchParams, ...toPairs(call.query)];
  const form = call.form === undefined ? undefined : toPairs(call.form);
  const url = origin + pathname;
  const headers: Record<string, string> = {};
  let { body } = call;
  if (form) {
    headers['content-type'] = 'application/x-www-form-urlencoded';
    body = encodeForm(form);
  } else if (call.json !== undefined) {
    headers['content-type'] = 'application/json';
    body = JSON.stringify(call.json);
  }
  for (const [name, value] of Object.entries(call.headers ?? {})) headers[name.toLowerCase()] = value;
  if (headers.authorization === undefined) {
    const signing = call.keys ?? demoKeys(keys, call);
    const unsigned = { method, url, parameters: [...query, ...(form ?? [])], keys: signing };
    headers.authorization = call.bearer
      ? await fetchBearerHeader(send, origin, signing)
      : signRequest({ ...unsigned, timestamp_s: Math.floor(now() / 1000) });
  }
  return send(query.length === 0 ? url : `${url}?${encodeForm(query)}`, { method, headers, body });
}

/** The header with the bearer token of an application. */
async function fetchBearerHeader(
  send: Send,
  origin: string,
  { consumer_key, consumer_secret }: SigningKeys,
): Promise<string> {
  const pair = Buffer.from(`${encode(consumer_key)}:${encode(consumer_secret)}`).toString('base64');
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

function toPairs(parameters: Parameters = {}): [string, string][] {
  return Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, typeof value === 'object' ? value.join(',') : String(value)]],
  );
}
