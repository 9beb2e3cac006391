import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isDeeperThan } from '../base/objects.ts';
import { callerKey } from '../contract/declare/callers.ts';
import type { Operation } from '../contract/declare/operation.ts';
import { problem } from '../contract/problems/problems.ts';
import type { Exchange, PipelineDependencies } from './exchange.ts';
import { type BodyReadObserver, readBody, readBytes } from './read-body.ts';
import { BODY_OVERHEAD_BYTES, readWithinMemory } from './request-memory.ts';

/** Whether the content type of a request is JSON. */
export function hasJsonBody(request: IncomingMessage): boolean {
  const type = request.headers['content-type'];
  return type !== undefined && /^\s*application\/json\s*(;|$)/i.test(type);
}

/**
 * Reads the body of an authenticated caller within the memory for such bodies, of which each caller may use a share.
 * @source decision 623
 */
export async function readAuthenticatedBody<Body>(
  deps: Pick<PipelineDependencies, 'authenticatedMemory'>,
  exchange: Exchange,
  read: (watch: BodyReadObserver) => Promise<Body>,
): Promise<Body> {
  const holding = {
    priority: 'first',
    owner: callerKey(exchange.caller!),
    overhead_bytes: BODY_OVERHEAD_BYTES,
  } as const;
  return readWithinMemory(deps.authenticatedMemory, holding, ({ onStart, onProgress }) =>
    read({
      onProgress,
      onStart: (end) =>
        onStart((failure) => {
          // The rest of the body is not read.
          exchange.closesConnection = true;
          end(failure);
        }),
    }),
  );
}

/** Reads a whole body. @throws SIGNATURE_REFUSED when it does not match the signed hash. */
export async function readVerifiedBody(
  deps: PipelineDependencies,
  exchange: Exchange,
  bodyHash: string | undefined,
): Promise<Buffer> {
  const bytes = await readAuthenticatedBody(deps, exchange, (watch) =>
    readBody(exchange.request, deps.body_bytes_max, watch),
  );
  checkHash(bytes, bodyHash);
  return bytes;
}

function checkHash(bytes: Uint8Array, bodyHash: string | undefined): void {
  if (bodyHash === undefined || hash('sha1', bytes, 'base64') === bodyHash) return;
  throw problem('SIGNATURE_REFUSED', {}, 'the body does not match oauth_body_hash');
}

/** Reads the bytes of a JSON body with a separate size limit. A body that is too large is not read to its end. */
export async function readJsonBytes(
  deps: PipelineDependencies,
  exchange: Exchange,
  { max, problem: tooLarge }: NonNullable<Operation['bodyBytes']>,
  bodyHash: string | undefined,
): Promise<Uint8Array> {
  const { request } = exchange;
  if (!hasJsonBody(request)) throw problem('CONTENT_TYPE', { parameter: 'Content-Type' });
  const bytes = await readAuthenticatedBody(deps, exchange, (watch) => readBytes(request, max, watch));
  if (bytes === undefined) {
    exchange.closesConnection = true;
    throw problem(tooLarge, { words: { max } });
  }
  checkHash(bytes, bodyHash);
  return bytes;
}

/** No sensible request is nested deeper; deeper ones could exhaust the stack. @source decision 31 */
const JSON_DEPTH_MAX = 64;

/** Parses a JSON body. @throws NOT_JSON */
export function parseJson(bytes: Buffer): unknown {
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw problem('NOT_JSON');
  }
  if (isDeeperThan(body, JSON_DEPTH_MAX)) throw problem('NOT_JSON', {}, 'nested too deep');
  return body;
}
