import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { operations } from '../../../src/app/dependencies.ts';
import { formatInstant } from '../../../src/base/instants.ts';
import { seededRandom } from '../../../src/base/random.ts';
import { type DevFile, startDev } from '../../../src/cli/dev.ts';
import { sign } from '../../../src/features/auth/oauth1/signature.ts';
import { hashPassword } from '../../../src/features/platform/password-hashing.ts';
import {
  type ExampleCall,
  type VariableSource,
  type WorkedExample,
  type WorkedExamples,
  withVariables,
} from '../../../src/http/reference/worked-examples.ts';
import { loadSettings } from '../../../src/settings/load.ts';
import { settingsTable } from '../../../src/settings.ts';
import { type PlannedExample, plannedExamples, variables } from './plan.ts';

/** What the clock shows while examples run. */
export const NOW = Date.parse('2026-03-02T17:04:55Z');
/** Of longer lists, replies show the first items. */
const LIST_MAX = 3;
/** Where examples of webhooks expect their receiver. */
export const RECEIVER = '127.0.0.1:9912';

/** A reply as it came. */
export interface Received {
  readonly status: number;
  readonly text: string;
}

/** Sends a call whose variables have values: with the keys of the file, or those among the values. */
export type SendCall = (place: Place, call: ExampleCall, values: ReadonlyMap<string, string>) => Promise<Received>;

/**
 * Runs every example against a demo world of its own, and returns them with their replies: the same ones each time, as
 * seed and clock are fixed, and what is secret is replaced.
 * @source decision 898, 901
 * @throws Error naming the example whose reply is no success
 */
export async function recordExamples(sendWith: SendCall = sendCall): Promise<WorkedExamples> {
  const folder = mkdtempSync(join(tmpdir(), 'barker-examples-'));
  const settings = loadSettings({
    mode: 'dev',
    environment: {},
    readFile: () => '',
    flags: {
      ...{ data_folder: folder, port: 0, sandbox_port: 0, log_level: 'silent' },
      // The clock stands still, so that windows never end.
      ...{ rate_writes_per_min: 1_000_000, rate_subscriptions_per_15min: 1_000_000 },
    },
  });
  const cheap = { memory_kib: 8, passes: 1 };
  const { service, file } = await startDev(settings, {
    reset: false,
    seams: {
      clock: { now: () => NOW },
      machineClock: { now: () => NOW },
      log: pino({ level: 'silent' }),
      hashPassword: (password) => hashPassword(password, seededRandom(1, 'salts'), cheap),
    },
  });
  const receiver = await openReceiver(file.consumer_secret);
  const place: Place = {
    file,
    sendWith,
    receiver: `127.0.0.1:${(receiver.address() as AddressInfo).port}`,
    folder,
    settle: () => service.jobs.runDue(),
    nonces: 0,
    moments: 0,
    async approve(requestToken) {
      const found = await service.grants.find(requestToken);
      return (await service.grants.approve(found!.requestToken, file.user_id))!.verifier;
    },
  };
  try {
    const examples: Record<string, WorkedExample> = {};
    for (const planned of endlessLast(plannedExamples())) examples[planned.operation.id] = await run(place, planned);
    const used = new Set(Object.values(examples).flatMap((each) => each.variables));
    return {
      variables: Object.fromEntries(Object.entries(variables).filter(([name]) => used.has(name))),
      examples: Object.fromEntries(operations.map(({ id }) => [id, examples[id]!])),
    };
  } finally {
    await service.close();
    receiver.close();
    rmSync(folder, { recursive: true });
  }
}

/** The text of the file: a line for each variable and example. */
export function workedExamplesText({ variables, examples }: WorkedExamples): string {
  const lines = (members: object): string =>
    Object.entries(members)
      .map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`)
      .join(',\n');
  return `{\n "variables": {\n${lines(variables)}\n },\n "examples": {\n${lines(examples)}\n }\n}\n`;
}

/** A stream is listed as open for a moment after its end, so streams come last. */
function endlessLast(planned: readonly PlannedExample[]): PlannedExample[] {
  const isStream = ({ operation }: PlannedExample): boolean => operation.shape === 'stream';
  return [...planned.filter((each) => !isStream(each)), ...planned.filter(isStream)];
}

export interface Place {
  readonly file: DevFile;
  readonly sendWith: SendCall;
  /** Host and port of the receiver of webhooks. */
  readonly receiver: string;
  /** Approves a request token as the first user does on the pages; resolves with the PIN. */
  approve(requestToken: string): Promise<string>;
  readonly folder: string;
  /** Resolves when the work in the background is done that calls planned. */
  settle(): Promise<void>;
  /** How many nonces were used: each is its number. */
  nonces: number;
  /** How often the time was asked for. */
  moments: number;
}

/** Answers challenges, and takes every message. */
async function openReceiver(secret: string): Promise<Server> {
  const server = createServer((request, response) => {
    const token = new URL(request.url!, 'http://receiver').searchParams.get('crc_token');
    if (token === null) return void response.end();
    const digest = createHmac('sha256', secret).update(token).digest('base64');
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ response_token: `sha256=${digest}` }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function run(place: Place, { operation, call, variables: names }: PlannedExample): Promise<WorkedExample> {
  const values = new Map<string, string>();
  const send = async (sent: ExampleCall): Promise<Received> => {
    const textOf = (name: string): string => values.get(name)!;
    const received = await place.sendWith(place, withVariables(sent, textOf), values);
    await place.settle();
    if (received.status < 300) return received;
    throw new Error(`the example of ${operation.id} failed in ${sent.operation}: ${received.status} ${received.text}`);
  };
  for (const name of names) values.set(name, await valueFrom(place, variables[name]!, values, send));
  const { status, text } = await send(call);
  const shown = shorten(parse(masked(place, text, values)));
  const isShortened = shown.isShortened && ({ isShortened: true } as const);
  return { variables: names, call, status, reply: shown.value, ...isShortened };
}

async function valueFrom(
  place: Place,
  source: VariableSource,
  values: ReadonlyMap<string, string>,
  send: (call: ExampleCall) => Promise<Received>,
): Promise<string> {
  if ('pairs' in source) {
    const pairs = values.get(source.pairs)!.trim().replaceAll('\n', '&');
    return new URLSearchParams(pairs).get(source.pick)!;
  }
  if ('command' in source)
    return runCommand(
      withVariables(source.command, (name) => values.get(name)!),
      place,
    );
  if ('ask' in source) return place.approve(values.get('REQUEST_TOKEN')!);
  if ('key' in source) return place.file[source.key as 'user_id'];
  if ('call' in source) {
    const { text } = await send(source.call);
    if (source.pick === '') return text;
    const value = source.pick.split('.').reduce((inner, name) => inner?.[name], JSON.parse(text));
    if (value === undefined) throw new Error(`${source.call.operation}: nothing at ${source.pick} in ${text}`);
    return String(value);
  }
  const at_ms = NOW + source.after_s * 1000;
  // Unique, as it is where the clock moves.
  if (source.as === 'milliseconds') return String(at_ms + ++place.moments);
  const time = formatInstant(at_ms);
  return source.as === 'time' ? time : time.replace(/\D/g, '').slice(0, 12);
}

/** Sends a call with `fetch`. */
export async function sendCall(
  place: Place,
  call: ExampleCall,
  values: ReadonlyMap<string, string>,
): Promise<Received> {
  const { file, receiver } = place;
  const { method, credential = 'user' } = operations.find(({ id }) => id === call.operation)!;
  const url = new URL(call.path, file.sandbox_url);
  for (const [name, value] of Object.entries(call.query ?? {})) url.searchParams.append(name, value);
  const form = call.form && Object.entries(call.form);
  const json = call.json === undefined ? undefined : JSON.stringify(call.json).replaceAll(RECEIVER, receiver);
  const type = json === undefined ? 'application/x-www-form-urlencoded' : 'application/json';
  const body = json ?? (form && new URLSearchParams(form).toString());
  const response = await fetch(url, {
    method,
    headers: { ...(body !== undefined && { 'content-type': type }), authorization: authorization() },
    ...(body !== undefined && { body }),
  });
  return { status: response.status, text: (await response.text()).replaceAll(receiver, RECEIVER) };

  function authorization(): string {
    const isMessages = call.app === 'messages';
    const [consumerKey, consumerSecret] = isMessages
      ? [file.messages_consumer_key, file.messages_consumer_secret]
      : [file.consumer_key, file.consumer_secret];
    if (credential === 'bearer') return `Bearer ${values.get('BEARER')}`;
    if (credential === 'publisher') return `Bearer ${values.get('PUBLISHER')}`;
    if (credential === 'basic') return `Basic ${btoa(`${consumerKey}:${consumerSecret}`)}`;
    const name = `${isMessages ? 'messages_' : ''}${call.as === 'other' ? 'other_' : ''}access_token` as 'access_token';
    const own = { key: file[name], secret: file[`${name}_secret`] };
    const { consumer, token = own } = call.keys ?? {};
    place.nonces += 1;
    return sign({
      method,
      url: url.href,
      form,
      oauth: {
        oauth_consumer_key: consumer?.key ?? consumerKey,
        oauth_nonce: `example-${place.nonces}`,
        oauth_signature_method: 'HMAC-SHA1',
        oauth_timestamp: String(NOW / 1000),
        ...(token.key !== '' && { oauth_token: token.key }),
        oauth_version: '1.0',
        ...call.protocol,
      },
      consumerSecret: consumer?.secret ?? consumerSecret,
      tokenSecret: token.secret,
    }).header;
  }
}

/** What a command prints. */
async function runCommand(words: readonly string[], { folder }: Place): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['bin/barker.js', ...words, '--data', folder]);
  return stdout;
}

/** A reply with the addresses of a service with default settings, and without what is secret or random. */
function masked({ file }: Place, text: string, values: ReadonlyMap<string, string>): string {
  const secrets = ['BEARER', 'TOKEN', 'PUBLISHER'].flatMap((name) => values.get(name) ?? []);
  const shown = secrets.reduce(
    (all, each) => all.replaceAll(encodeURIComponent(each), '…').replaceAll(each, '…'),
    text,
  );
  return shown
    .replace(/("access_token":"(?:A{22})?)[^"]*/g, '$1…')
    .replace(/(post-preview\/index\.html\?data=)[\w.-]*/g, '$1…')
    .replace(/(oauth_token(?:_secret)?=)[^&]*/g, '$1…')
    .replaceAll(file.sandbox_url, `http://127.0.0.1:${settingsTable.sandbox_port.default}`)
    .replaceAll(file.base_url, `http://127.0.0.1:${settingsTable.port.default}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A value whose longer lists have only their first items. */
function shorten(value: unknown): { readonly value: unknown; readonly isShortened: boolean } {
  if (typeof value !== 'object' || value === null) return { value, isShortened: false };
  const all = Object.entries(value).map(([name, each]) => [name, shorten(each)] as const);
  const wasShortened = all.some(([, each]) => each.isShortened);
  if (!Array.isArray(value)) {
    return { value: Object.fromEntries(all.map(([name, each]) => [name, each.value])), isShortened: wasShortened };
  }
  const first = all.slice(0, LIST_MAX).map(([, each]) => each.value);
  return { value: first, isShortened: wasShortened || value.length > LIST_MAX };
}
