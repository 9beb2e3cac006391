import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ToolsListener } from '../../http/developer-tools.ts';

/** A call of the surface for developers: everything below `/_dev`. */
export interface DevCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With `:parameters`. */
  readonly path: `/_dev/${string}`;
  /** What it does: one sentence for the list of calls. */
  readonly about: string;
  /** Takes the form of a page of this server instead of JSON. */
  readonly takesForm?: true;
  /**
   * Returns what the reply contains as JSON, a `DevReply`, or undefined for a reply without a body.
   * @throws DevError
   */
  perform(request: DevRequest): unknown;
}

/** A request to one of them. */
export interface DevRequest {
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The parsed JSON body, or `URLSearchParams` of a form; undefined without one. */
  readonly body: unknown;
  readonly listener: ToolsListener;
  readonly request: IncomingMessage;
}

/** A reply that is not simply JSON with status 200. */
export class DevReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON value, text or bytes; or writes the reply itself, to its end. */
  readonly body: unknown;

  constructor(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** Writes a reply that lasts, such as a stream of server-sent events. */
export type WriteReply = (response: ServerResponse) => void;

/** A refused call. The reply is `{ "error": { "code", "message", "field" } }`. */
export class DevError extends Error {
  readonly status: number;
  /** In upper case with underscores. */
  readonly code: string;
  /** The member of the body, or the parameter, that is at fault. */
  readonly field: string | undefined;

  constructor(status: number, code: string, message: string, field?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
  }
}
