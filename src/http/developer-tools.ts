import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Environment } from '../contract/declare/account-state.ts';
import type { Call } from '../contract/declare/operation.ts';
import type { Exchange } from './exchange.ts';
import type { Headers } from './reply.ts';

/** A reply of an operation before it is sent. Tools may change it. */
export interface PendingReply {
  status: number;
  headers: Headers;
  text: string;
  /** Why the request was refused; undefined when it was not. */
  readonly failure: unknown;
}

/** The hooks of developer tools on a listener, in development mode only: `serve` does not load their code. */
export interface DeveloperTools {
  /** Called for each request first; returns true if it answered the request. */
  arrive(request: IncomingMessage, response: ServerResponse): boolean;
  /** The contents of `dev.json`, for those who may see them: pages of the documentation have its keys in their examples. */
  keys(request: IncomingMessage): Readonly<Record<string, string | undefined>> | undefined;
  /** Called for a request without an operation, before it is answered otherwise. */
  pass(request: IncomingMessage, response: ServerResponse): void;
  /**
   * Called with an authenticated, permitted and parsed call, before the operation is performed, which waits for the result.
   * @throws Problem, which becomes the reply
   */
  performing(exchange: Exchange, call: Call): Promise<void> | undefined;
  /** Called for a stream before its head is sent. */
  streaming(exchange: Exchange, headers: Headers, response: ServerResponse): void;
  /** Called with the reply of an operation. Resolves with true if it sent or suppressed the reply. */
  reply(exchange: Exchange, reply: PendingReply, response: ServerResponse): Promise<boolean>;
}

/** The listener of the tools. */
export interface ToolsListener {
  readonly environment: Environment;
  /** The origins under which a request may have been signed, the likeliest first. @throws TLS_REQUIRED */
  readonly originsOf: (request: IncomingMessage) => readonly string[];
  /** Whether the service is stopping, so that streams must end. */
  readonly isDraining: () => boolean;
  /** Resets all rate windows; returns false if other processes share them. */
  readonly resetRates: () => boolean;
}

/** Creates the tools of a listener. */
export type DeveloperToolsOf = (listener: ToolsListener) => DeveloperTools;
