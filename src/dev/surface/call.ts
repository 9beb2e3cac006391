import type { IncomingMessage, ServerResponse } from 'node:http';
import { isObject } from '../../base/objects.ts';
import { didYouMean } from '../../base/text.ts';
import type { Operation } from '../../contract/declare/operation.ts';
import { findOperations } from '../../engine/describe/find-operations.ts';
import type { ToolsListener } from '../../http/developer-tools.ts';

/** An endpoint of the developer API, below `/_dev`. */
export interface DevCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** A route with `:parameters`. */
  readonly path: `/_dev/${string}`;
  /** One sentence for the list of calls. */
  readonly about: string;
  /** The body is a form of a page of this server, not JSON. */
  readonly takesForm?: true;
  /**
   * Returns the JSON of the reply, a `DevReply`, or undefined for an empty reply.
   * @throws DevError
   */
  perform(request: DevRequest): unknown;
}

/** Declares a call by its method and path, such as `GET /_dev/clock`. */
export function devCall(
  route: `${DevCall['method']} ${DevCall['path']}`,
  about: string,
  perform: DevCall['perform'],
): DevCall {
  const [method, path] = route.split(' ') as [DevCall['method'], DevCall['path']];
  return { method, path, about, perform };
}

/** A request to a `DevCall`. */
export interface DevRequest {
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The parsed JSON body, or `URLSearchParams` of a form; undefined without one. */
  readonly body: unknown;
  readonly listener: ToolsListener;
  readonly request: IncomingMessage;
}

/** A reply other than JSON with status 200. */
export class DevReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A JSON value, a text, bytes, or a `WriteReply`. */
  readonly body: unknown;

  constructor(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** Writes a streamed reply, such as server-sent events, and ends it. */
export type WriteReply = (response: ServerResponse) => void;

/** A refused call. The reply is `{ "error": { "code", "message", "field" } }`. */
export class DevError extends Error {
  readonly status: number;
  /** In upper case with underscores. */
  readonly code: string;
  /** The invalid member of the body, or parameter. */
  readonly field: string | undefined;

  constructor(status: number, code: string, message: string, field?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
  }
}

/** The error about a member with an unusable value. */
export function invalidMember(message: string, field: string): DevError {
  return new DevError(400, 'MEMBER_INVALID', message, field);
}

/** The error about a member that is required. */
export function missingMember(message: string, field: string): DevError {
  return new DevError(400, 'MEMBER_MISSING', message, field);
}

/** Reads an object that may only have these members. @throws DevError naming the first that is unknown */
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

/** The numbers that a member accepts. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
  /** Whether fractions are allowed. */
  readonly isFraction?: boolean;
}

/** Reads an optional number. @throws DevError */
export function numberIn(value: unknown, name: string, { min, max, isFraction = false }: NumberRange) {
  if (value === undefined) return undefined;
  const isValid = typeof value === 'number' && value >= min && value <= max && (isFraction || Number.isInteger(value));
  if (isValid) return value;
  const kind = isFraction ? 'a number' : 'a whole number';
  throw invalidMember(`${name} must be ${kind} from ${min} to ${max}`, name);
}

/** Reads an optional text, which must not be empty. @throws DevError */
export function textIn(value: unknown, name: string): string | undefined {
  if (value === undefined || (typeof value === 'string' && value !== '')) return value;
  throw invalidMember(`${name} must be a text`, name);
}

/** Operations that an error suggests at most. */
const SUGGESTED_MAX = 5;

/** Reads an optional operation id, or a pattern with `*`. @throws DevError if the operation does not exist, with those that have its words */
export function operationIn(value: unknown, known: readonly Operation[]): string | undefined {
  const id = textIn(value, 'operation');
  const ids = known.map((each) => each.id);
  if (id === undefined || id.includes('*') || ids.includes(id)) return id;
  const found = findOperations(known, id).map((each) => each.id);
  const some = found.slice(0, SUGGESTED_MAX).join(' or ');
  const near = some ? `; did you mean ${some}?` : didYouMean(id, ids);
  throw new DevError(400, 'OPERATION_UNKNOWN', `there is no operation ${id}${near}`, 'operation');
}

/** Reads an optional enum value. @throws DevError */
export function wordIn<Word extends string>(value: unknown, name: string, words: readonly Word[]): Word | undefined {
  if (value === undefined || words.includes(value as Word)) return value as Word | undefined;
  throw invalidMember(`${name} must be ${words.join(' or ')}`, name);
}

/** Reads an object whose values are texts. @throws DevError */
export function textsIn(value: unknown, name: string): Readonly<Record<string, string>> {
  if (isObject(value) && Object.values(value).every((each) => typeof each === 'string')) {
    return value as Readonly<Record<string, string>>;
  }
  throw invalidMember(`${name} must be an object of texts`, name);
}
