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

/** What tools for developers do on a listener. Only development mode has them: `serve` does not load their code. */
export interface DeveloperTools {
  /** Sees each request before anybody answers it; returns true when it answers it itself. */
  arrive(request: IncomingMessage, response: ServerResponse): boolean;
  /** The logins and keys that the page at `/` shows to this request, by what they are. */
  identities(request: IncomingMessage): readonly (readonly [name: string, value: string])[];
  /** Sees a request that no operation answers, before it is answered otherwise. */
  pass(request: IncomingMessage, response: ServerResponse): void;
  /**
   * Sees a call that is authenticated, permitted, within its rate and read, before its operation is performed. The
   * operation waits for what it returns. @throws Problem, which is then the reply
   */
  performing(exchange: Exchange, call: Call): Promise<void> | undefined;
  /** Sees a stream before its head is sent. */
  streaming(exchange: Exchange, headers: Headers, response: ServerResponse): void;
  /** Sees the reply of an operation. Resolves with true when it sends it itself, or sees to it that none is sent. */
  reply(exchange: Exchange, reply: PendingReply, response: ServerResponse): Promise<boolean>;
}

/** The listener that tools work on. */
export interface ToolsListener {
  readonly environment: Environment;
  /** The origins under which a request may have been signed, the likeliest first. @throws TLS_REQUIRED */
  readonly originsOf: (request: IncomingMessage) => readonly string[];
  /** The service is stopping: what lasts must end. */
  readonly isDraining: () => boolean;
  /** Opens all rate windows anew; returns false where other processes count in them too. */
  readonly resetRates: () => boolean;
}

/** Makes the tools of a listener. */
export type DeveloperToolsOf = (listener: ToolsListener) => DeveloperTools;
