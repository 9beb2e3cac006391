import type { Command } from 'commander';
import {
  addProfileOptions,
  buildRequest,
  type ConnectionProfile,
  collectPair,
  type OutgoingRequest,
  profileFrom,
  protocolParameters,
} from './connection-profile.ts';
import { CommandFailed } from './failure.ts';
import { print, printError } from './output.ts';
import { fetchBearerToken, type Reply, send } from './send.ts';

/** `barker call`. */
export function configure(command: Command): void {
  command
    .argument('<method>', 'GET, POST, PUT or DELETE')
    .argument('<path>', 'Path, such as /12/accounts')
    .option(
      '-d, --param <name=value>',
      'Parameter, repeatable; sent in the body of POST and PUT, otherwise in the query',
      collectPair,
    )
    .option('--json <text>', 'JSON body, or @file')
    .option('--bearer', 'Authenticate with the bearer token of the application instead of a user signature')
    .option('--pick <path>', 'Print only this member of the reply, such as data.0.id')
    .option('-i, --include', 'Print status and headers on stderr');
  addProfileOptions(command)
    .addHelpText(
      'after',
      '\nExample:\n  barker call PUT /12/accounts/18ce54d4x5t --sandbox -d name="Spring sale"\n  barker call GET /2/activity/subscriptions --bearer',
    )
    .action((method: string, path: string) => runCall(command, method, path));
}

async function runCall(command: Command, method: string, path: string): Promise<void> {
  const { param: data, json, include, bearer, pick } = command.opts();
  const caller = profileFrom(command);
  const request = buildRequest(method, path, caller, { data, json });
  const authorization = bearer ? `Bearer ${await fetchBearerToken(caller)}` : await signatureFor(request, caller);
  const reply = await send(request, authorization, caller.tlsCa);
  const { body: text } = reply;
  if (include) printError(headText(reply));
  if (pick !== undefined) {
    if (reply.status < 400) print(`${pickedFrom(text, pick)}\n`);
  } else if (text !== '') print(process.stdout.isTTY ? pretty(text) : `${text}\n`);
  if (reply.status >= 400) throw new CommandFailed(aloud(reply, text));
}

async function signatureFor(request: OutgoingRequest, { keys }: ConnectionProfile): Promise<string> {
  const { sign } = await import('../features/auth/oauth1/signature.ts');
  const { consumer_secret: consumerSecret, access_token_secret: tokenSecret } = keys;
  return sign({ ...request, oauth: protocolParameters(keys), consumerSecret, tokenSecret }).header;
}

/** The status line and the relevant headers. */
function headText(reply: Reply): string {
  const lines = [`${reply.status} ${reply.statusText}`];
  for (const [name, value] of reply.headers) {
    if (/^(x-|retry-after|allow|www-authenticate|deprecation|link|sunset|date$)/.test(name))
      lines.push(`${name}: ${value}`);
  }
  return `${lines.join('\n')}\n\n`;
}

function pretty(text: string): string {
  try {
    return `${JSON.stringify(JSON.parse(text), null, 2)}\n`;
  } catch {
    return `${text}\n`;
  }
}

/** A member of a JSON text: texts as they are, anything else as JSON. */
function pickedFrom(text: string, path: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new CommandFailed('--pick needs a reply in JSON');
  }
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) {
      throw new CommandFailed(`the reply has no member ${name} on the way to ${path}: ${text}`);
    }
    value = (value as Record<string, unknown>)[name];
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

interface ErrorBody {
  readonly code?: string | number;
  readonly message?: string;
  /** Version 2's description of something that was not found. */
  readonly detail?: string;
  readonly parameter?: string;
  readonly attribute?: string;
}

/** The errors of a response in one sentence, with the hint of a development server. */
function aloud(reply: Reply, text: string): string {
  const status = `${reply.status} ${reply.statusText}`;
  let body: { errors?: ErrorBody[]; operation_errors?: ErrorBody[][]; detail?: string };
  try {
    body = JSON.parse(text);
  } catch {
    return status;
  }
  const items = (body.operation_errors ?? []).flatMap((errors, index) =>
    errors.map((error) => `item ${index}: ${wordsOf(error)}`),
  );
  const whole = body.errors === undefined && body.detail !== undefined ? [body.detail] : [];
  const hints = reply.headers.flatMap(([name, value]) => (name === 'x-hint' ? [value] : []));
  const messages = [...(body.errors ?? []).map(wordsOf), ...items, ...whole, ...hints];
  return messages.length === 0 ? status : `${status}: ${messages.join('; ')}`;
}

function wordsOf({ code, message, detail, parameter, attribute }: ErrorBody): string {
  const about = [code, parameter ?? attribute].filter((part) => part !== undefined);
  return `${message ?? detail ?? 'no message'}${about.length > 0 ? ` (${about.join(', ')})` : ''}`;
}
