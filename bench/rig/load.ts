import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** What to send: the same request, or a few in turn, signed when there are keys. */
export interface LoadPlan {
  readonly origin: string;
  readonly method: string;
  readonly paths: readonly string[];
  /** Form parameters; `#` in a value becomes the number of the request. */
  readonly form?: readonly (readonly [string, string])[];
  readonly keys?: Keys;
  /** Sent as it is where there are no keys. */
  readonly authorization?: string;
  readonly requests: number;
  readonly connections: number;
  readonly seconds: number;
}

/** What a load client signs with. */
export interface Keys {
  readonly consumer_key: string;
  readonly consumer_secret: string;
  readonly access_token: string;
  readonly access_token_secret: string;
}

/** What came of it. Replies other than 200 are refused ones. */
export interface LoadResult {
  readonly perSecond: number;
  readonly completed: number;
  readonly refused: number;
  readonly firstRefusal: string;
  readonly p50_ms: number;
  readonly p99_ms: number;
}

/** Runs a plan from a process of its own; every reply must be 200. */
export async function load(plan: LoadPlan): Promise<LoadResult> {
  const client: ChildProcess = fork(new URL('./load-client.ts', import.meta.url));
  client.send(plan);
  await said(client);
  client.send('go');
  const result = (await said(client)) as LoadResult;
  if (result.refused > 0) throw new Error(`${result.refused} of ${result.completed} replies: ${result.firstRefusal}`);
  if (result.completed === 0) throw new Error('nothing was completed');
  return result;
}

/** The next message of a process, or an error when it ends without one. */
export async function said(child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`a process of the measurement ended with ${code}`);
  });
  const [message] = await Promise.race([once(child, 'message'), ended]);
  return message;
}
