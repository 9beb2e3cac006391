import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { problem } from '../contract/problems/problems.ts';
import { errorReply } from './error-reply.ts';
import type { PipelineDependencies } from './exchange.ts';
import { readBody } from './read-body.ts';
import { baseHeaders, clientRequestId, JSON_TYPES, retryAfterHeaders, send } from './reply.ts';
import type { Routes } from './routes.ts';

/** The dependencies of the simulator endpoint. */
interface SimulatorDependencies extends PipelineDependencies {
  readonly operator_token: string;
  /** Emits the event; resolves with its uuid. Throws a problem. */
  readonly simulate: (body: unknown) => Promise<string>;
}

const PATH = '/internal/activity/events';

/**
 * Adds the endpoint that lets an operator of a development service emit events. It is not part of the API, and production
 * does not have it.
 * @source activity 16.8
 */
export function addSimulator(routes: Routes, deps: SimulatorDependencies): void {
  routes.post(PATH, async (request, response) => {
    const startedAt_ms = performance.now();
    const { status, body, more } = await answered(deps, request);
    const type = status < 300 ? JSON_TYPES.others : 'application/problem+json; charset=utf-8';
    const headers = baseHeaders('problem', type, {
      transactionId: deps.nextTransactionId(),
      duration_ms: performance.now() - startedAt_ms,
      requestId: clientRequestId(request),
      secure: deps.secureHeaders(request),
    });
    send(response, status, [...headers, ...more], body);
  });
}

async function answered(
  deps: SimulatorDependencies,
  request: IncomingMessage,
): Promise<{ readonly status: number; readonly body: string; readonly more: readonly string[] }> {
  try {
    // This also refuses plain HTTP to hosts off loopback.
    deps.originsOf(request);
    checkToken(request.headers.authorization, deps.operator_token);
    const event_uuid = await deps.simulate(parsed(await readBody(request, deps.body_bytes_max)));
    return { status: 202, body: JSON.stringify({ data: { event_uuid } }), more: [] };
  } catch (error) {
    const reply = errorReply(error, 'problem', '{}', { base: () => deps.originsOf(request)[0] ?? '' });
    return { ...reply, more: retryAfterHeaders(error) };
  }
}

function checkToken(authorization: string | undefined, token: string): void {
  const presented = /^[ \t]*bearer[ \t]+(\S+)[ \t]*$/i.exec(authorization ?? '')?.[1];
  if (presented === undefined) throw problem('CREDENTIAL_UNUSABLE');
  const [presentedBytes, expectedBytes] = [Buffer.from(presented), Buffer.from(token)];
  if (presentedBytes.length !== expectedBytes.length || !timingSafeEqual(presentedBytes, expectedBytes))
    throw problem('BEARER_INVALID');
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw problem('NOT_JSON');
  }
}
