import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Environment } from '../../contract/declare/account-state.ts';
import { problem } from '../../contract/problems/problems.ts';
import type { AddressLimiter } from '../address-limiter.ts';
import { errorReply } from '../error-reply.ts';
import type { PipelineDependencies } from '../exchange.ts';
import { parseJson } from '../json-body.ts';
import { headersByName, JSON_TYPES } from '../reply.ts';
import { etagOf, type Routes } from '../routes.ts';

/** The dependencies of the routes for websites. */
interface TagDependencies extends PipelineDependencies {
  /** Records an event that a website reports. @throws a problem */
  readonly record: (environment: Environment, body: unknown) => Promise<void>;
  /** Limits events per address; undefined when limits are off. */
  readonly eventLimiter: AddressLimiter | undefined;
  /** Receives failures that are internal errors. */
  readonly onError: (error: unknown) => void;
}

/** The path of the website tag script. */
const TAG_SCRIPT_PATH = '/measurement/tag.js';
/** The path that it sends events to. */
const TAG_EVENTS_PATH = '/measurement/events';

/** Maximum size of an event. @source decision 997 */
const EVENT_BYTES_MAX = 4096;
/** How long browsers cache the script. */
const SCRIPT_KEPT_S = 3600;
/** How long browsers cache preflight replies. */
const PREFLIGHT_KEPT_S = 86_400;

/** Any website may load the script, and send events without credentials. */
const FOR_ANY_SITE = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body?: string | Buffer;
}

/**
 * Adds the routes for websites of advertisers, which need no credentials: the script to include, and the endpoint that it
 * sends events to.
 * @source decision 997
 */
export function addTagRoutes(routes: Routes, deps: TagDependencies): void {
  const script = readFileSync(new URL('./tag.js', import.meta.url));
  const etag = etagOf(script);
  const add = (path: string, replyTo: (request: IncomingMessage) => Promise<Reply>): void =>
    routes.all(path, (request, response) => answer(deps, path, request, response, replyTo));
  add(TAG_SCRIPT_PATH, async (request) => scriptReply(request, script, etag));
  add(TAG_EVENTS_PATH, (request) => eventReply(deps, request));
}

/** Answers one request. Never rejects. */
async function answer(
  deps: TagDependencies,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  replyTo: (request: IncomingMessage) => Promise<Reply>,
): Promise<void> {
  const { status, headers, body = '' } = await replyTo(request).catch((error) => failed(deps, request, error));
  const length = status === 204 || status === 304 ? {} : { 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, { ...FOR_ANY_SITE, ...headers, ...length, ...headersByName(deps.secureHeaders(request)) });
  response.end(request.method === 'HEAD' ? undefined : body);
  const method = ['GET', 'HEAD', 'POST'].includes(request.method!) ? request.method! : 'OTHER';
  deps.observer.pageVisited(path, method, status);
}

function failed({ originsOf, onError }: TagDependencies, request: IncomingMessage, error: unknown): Reply {
  const { status, body } = errorReply(error, 'ads', '{}', { base: () => originsOf(request)[0] ?? '' });
  if (status === 500) onError(error);
  return { status, headers: { 'content-type': JSON_TYPES.ads, 'cache-control': 'no-store' }, body };
}

function scriptReply(request: IncomingMessage, script: Buffer, etag: string): Reply {
  if (request.method === 'OPTIONS') return { status: 204, headers: { allow: 'GET, HEAD, OPTIONS' } };
  if (request.method !== 'GET' && request.method !== 'HEAD') return otherMethod('GET, HEAD, OPTIONS');
  const headers = {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': `public, max-age=${SCRIPT_KEPT_S}`,
    etag,
  };
  if (request.headers['if-none-match'] === etag) return { status: 304, headers };
  return { status: 200, headers, body: script };
}

async function eventReply(deps: TagDependencies, request: IncomingMessage): Promise<Reply> {
  const allowed = 'POST, OPTIONS';
  if (request.method === 'OPTIONS') {
    const permission = {
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type',
      'access-control-max-age': PREFLIGHT_KEPT_S,
    };
    return { status: 204, headers: { allow: allowed, ...permission } };
  }
  if (request.method !== 'POST') return otherMethod(allowed);
  // This also refuses plain HTTP to hosts off loopback.
  deps.originsOf(request);
  const address = deps.addressOf(request);
  const wait_s = deps.eventLimiter?.take(address);
  if (wait_s !== undefined) {
    const { status, headers, body } = failed(deps, request, problem('RATE_LIMITED'));
    return { status, headers: { ...headers, 'retry-after': wait_s }, body: body! };
  }
  const reading = { address, max: EVENT_BYTES_MAX, isKnown: false };
  const event = parseJson(await deps.unauthenticatedBodies.read(request, reading));
  await deps.record(deps.environment, event);
  return { status: 204, headers: { 'cache-control': 'no-store' } };
}

function otherMethod(allow: string): Reply {
  return { status: 405, headers: { allow, 'content-type': 'text/plain; charset=utf-8' }, body: `Only ${allow}` };
}
