import { type ChildProcess, fork } from 'node:child_process';
import { said } from './load.ts';

/** Streams to be read, and events to be posted. */
export interface StreamPlan {
  readonly origin: string;
  readonly streamPath: string;
  readonly postPath: string;
  readonly streamHeaders: Readonly<Record<string, string>>;
  readonly postHeaders: Readonly<Record<string, string>>;
  /** What is posted; `~` becomes `~` and the time of the machine in milliseconds. */
  readonly body: string;
  /** Streams that are read. */
  readonly readers: number;
  /** Streams that nobody reads. */
  readonly stalled: number;
}

/** What came of posting. */
interface StreamResult {
  readonly deliveriesPerSecond: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
}

/** A process that holds streams open. */
export interface StreamLoad {
  /** Posts events on some connections, as fast as they are answered or at a pace, until every reader has them all. */
  post(events: number, options: { readonly connections: number; readonly perSecond?: number }): Promise<StreamResult>;
  close(): void;
}

/** Opens the streams of a plan, in a process of its own. */
export async function openLoad(plan: StreamPlan): Promise<StreamLoad> {
  const client: ChildProcess = fork(new URL('./stream-client.ts', import.meta.url));
  // Each answer that is waited for leaves two listeners behind.
  client.setMaxListeners(0);
  client.send(plan);
  await said(client);
  return {
    async post(events, options) {
      client.send({ events, ...options });
      return (await said(client)) as StreamResult;
    },
    close: () => void client.kill(),
  };
}
