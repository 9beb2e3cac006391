import type { IncomingMessage, ServerResponse } from 'node:http';
import { isObject } from '../../base/objects.ts';
import { didYouMean } from '../../base/text.ts';
import type { ToolsListener } from '../../http/developer-tools.ts';

/** A call of the surface for developers: everything below `/_dev`. */
export interface DevCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With `:parameters`. */
  readonly path: `/_dev/${string}`;
  /** One sentence for the list of calls. */
  readonly about: string;
  /** Takes the form of a page of this server instead of JSON. */
  readonly takesForm?: true;
  /**
   * Returns what the reply contains as JSON, a `DevReply`, or undefined for a reply without a body.
   * @throws DevError
   */
  perform(request: DevRequest): unknown;
}

/** A call by its method and path, such as `GET /_dev/clock`. */
export function devCall(
  route: `${DevCall['method']} ${DevCall['path']}`,
  about: string,
  perform: DevCall['perform'],
): DevCall {
  const [method, path] = route.split(' ') as [DevCall['method'], DevCall['path']];
  return { method, path, about, perform };
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

/** The members of a JSON object that may have no others. @throws DevError naming the first that is unknown */
export function membersOf<Name extends string>(
  value: unknown,
  names: readonly Name[],
  of: string,
): Readonly<Partial<Record<Name, unknown>>> {
  const known = (before: string): string => (names.length === 0 ? '' : `${before} ${names.join(', ')}`);
  if (!isObject(value)) throw new DevError(400, 'NOT_AN_OBJECT', `${of} is a JSON object${known(' with')}`, of);
  const unknown = Object.keys(value).find((name) => !names.includes(name as Name));
  if (unknown !== undefined) {
    throw new DevError(400, 'MEMBER_UNKNOWN', `${of} has no member ${unknown}${known(', only')}`, unknown);
  }
  return value as Readonly<Partial<Record<Name, unknown>>>;
}

/** Which numbers a member may have. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
  /** Whether it may have a fraction. */
  readonly isFraction?: boolean;
}

/** A number within bounds; undefined when there is none. @throws DevError */
export function numberIn(value: unknown, name: string, { min, max, isFraction = false }: NumberRange) {
  if (value === undefined) return undefined;
  const isRight = typeof value === 'number' && value >= min && value <= max && (isFraction || Number.isInteger(value));
  if (isRight) return value;
  const kind = isFraction ? 'a number' : 'a whole number';
  throw new DevError(400, 'MEMBER_INVALID', `${name} must be ${kind} from ${min} to ${max}`, name);
}

/** A text; undefined when there is none. @throws DevError */
export function textIn(value: unknown, name: string): string | undefined {
  if (value === undefined || (typeof value === 'string' && value !== '')) return value;
  throw new DevError(400, 'MEMBER_INVALID', `${name} must be a text`, name);
}

/** The id of an operation, or a pattern with `*`; undefined when there is none. @throws DevError when no operation has it */
export function operationIn(value: unknown, known: readonly string[]): string | undefined {
  const id = textIn(value, 'operation');
  if (id === undefined || id.includes('*') || known.includes(id)) return id;
  throw new DevError(400, 'OPERATION_UNKNOWN', `there is no operation ${id}${didYouMean(id, known)}`, 'operation');
}

/** One of several words; undefined when there is none. @throws DevError */
export function wordIn<Word extends string>(value: unknown, name: string, words: readonly Word[]): Word | undefined {
  if (value === undefined || words.includes(value as Word)) return value as Word | undefined;
  throw new DevError(400, 'MEMBER_INVALID', `${name} must be ${words.join(' or ')}`, name);
}

/** An object of texts by any names. @throws DevError */
export function textsIn(value: unknown, name: string): Readonly<Record<string, string>> {
  if (isObject(value) && Object.values(value).every((each) => typeof each === 'string')) {
    return value as Readonly<Record<string, string>>;
  }
  throw new DevError(400, 'MEMBER_INVALID', `${name} must be an object of texts`, name);
}
