import { hash } from 'node:crypto';
import { instantMs, parseInstant } from '../../../base/instants.ts';
import { isDeeperThan, isObject } from '../../../base/objects.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import {
  IDENTIFIER_KINDS,
  type IdentifierKind,
  type ParsedUpload,
  type UploadErrors,
  type UploadOperation,
  type UploadRules,
} from '../../../contract/store/audiences.ts';
import { DELETE, type PackedWriter, packedWriter, UPDATE } from './packed-format.ts';
import {
  defaultWindow,
  type MembershipWindow,
  OPERATIONS_MAX,
  PLAINTEXT_CHARACTERS_MAX,
  SAME_HASH_MIN,
  windowErrors,
} from './upload-limits.ts';

const DEPTH_MAX = 64;
const HASH = /^[0-9a-f]{64}$/i;
const EMPTY_HASH = hash('sha256', '');

type Members = Readonly<Record<string, unknown>>;

/** Parses any upload, and reports its errors up to a limit, without quoting identifiers. @source creatives 19 */
export function parseFully(body: Uint8Array, now_s: number, rules: UploadRules): ParsedUpload | UploadErrors {
  const read = parseJson(body);
  if (!read) return { whole: [{ problem: 'NOT_JSON' }] };
  const { items } = read;
  if (!Array.isArray(items)) return { whole: [{ problem: 'BATCH_NOT_ARRAY' }] };
  if (items.length === 0) return { whole: [{ problem: 'BATCH_EMPTY' }] };
  if (items.length > OPERATIONS_MAX) {
    const words = { max: OPERATIONS_MAX, count: items.length };
    return { whole: [{ problem: 'TOO_MANY_OPERATIONS', parameter: 'operations', words }] };
  }
  const errors = errorList();
  const packed = packedWriter(body.length / 3);
  const usual = defaultWindow(now_s);
  const operations = items.map((item) => {
    errors.nextOperation();
    packed.operation();
    return readOperation(isObject(item) ? item : {}, { errors, packed, rules, usual });
  });
  if (errors.count() > 0) return { items: errors.items(), operations };
  const records = operations.reduce((sum, each) => sum + each.records, 0);
  return { records, operations, payload: packed.finish() };
}

function parseJson(body: Uint8Array): { readonly items: unknown } | undefined {
  try {
    const items: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return isDeeperThan(items, DEPTH_MAX) ? undefined : { items };
  } catch {
    return undefined;
  }
}

interface ParserState {
  readonly errors: { add(error: ErrorDetail): void };
  readonly packed: PackedWriter;
  readonly rules: UploadRules;
  readonly usual: MembershipWindow;
}

function readOperation(item: Members, state: ParserState): UploadOperation {
  const { errors, packed, rules, usual } = state;
  const type = item.operation_type;
  const operation_type = type === 'Update' || type === 'Delete' ? type : undefined;
  if (type === undefined || type === null || type === '') {
    errors.add({ problem: 'MISSING_PARAMETER', parameter: 'operation_type' });
  } else if (!operation_type) {
    const raw = quotableValue(type, /^\w{1,20}$/);
    errors.add({ problem: 'NOT_IN_ENUM', parameter: 'operation_type', words: { list: 'Delete, Update', raw } });
  }
  const { params } = item;
  if (!isObject(params)) {
    errors.add({ problem: 'MISSING_PARAMETER', parameter: 'params' });
    return { operation_type, expires_at: undefined, records: 0 };
  }
  const begin = rules.acceptsEffectiveAt ? readTime('effective_at', params, errors) : undefined;
  const end = readTime('expires_at', params, errors);
  const window = {
    effective_at: begin === undefined ? usual.effective_at : instantMs(begin) / 1000,
    expires_at: end === undefined ? usual.expires_at : instantMs(end) / 1000,
  };
  for (const error of windowErrors(window, end !== undefined, usual, rules)) errors.add(error);
  packed.setOperation(operation_type === 'Delete' ? DELETE : UPDATE, window.effective_at, window.expires_at);
  return { operation_type, expires_at: end, records: readUsers(params.users, state) };
}

function readTime(name: string, params: Members, errors: ParserState['errors']): string | undefined {
  const raw = params[name];
  if (raw === undefined || raw === null || raw === '') return undefined;
  const read = typeof raw === 'string' ? parseInstant(raw) : undefined;
  if (read === undefined) {
    const words = { raw: quotableValue(raw, /^[\w:+., -]{1,40}$/) };
    errors.add({ problem: 'NOT_TIME', parameter: name, words, details: 'invalid date' });
  }
  return read;
}

/** Returns a value for a message; hides values of an unexpected form, which may be personal data. */
function quotableValue(value: unknown, shape: RegExp): string {
  return typeof value === 'string' ? (shape.test(value) ? value : '...') : Array.isArray(value) ? 'list' : typeof value;
}

function readUsers(users: unknown, state: ParserState): number {
  const { errors } = state;
  const error = (problem: 'MISSING_PARAMETER' | 'NOT_A_LIST' | 'TOO_FEW_ITEMS'): number => {
    errors.add({ problem, parameter: 'users' });
    return 0;
  };
  if (users === undefined || users === null) return error('MISSING_PARAMETER');
  if (!Array.isArray(users)) return error('NOT_A_LIST');
  if (users.length === 0) return error('TOO_FEW_ITEMS');
  // The single identifier of every person so far; undefined once they differ.
  let shared: string | undefined;
  for (const [index, user] of users.entries()) {
    const only = readPerson(user, `users[${index}]`, state);
    shared = index === 0 || only === shared ? only : undefined;
  }
  if (shared !== undefined && users.length >= SAME_HASH_MIN) {
    errors.add({ problem: 'HASH_OF_A_FILE', parameter: 'users', words: { count: users.length } });
  }
  return users.length;
}

/** Parses a person, who needs one identifier of any kind; returns the hash if it is the only one. @source decision 269 */
function readPerson(user: unknown, place: string, { errors, packed, rules }: ParserState): string | undefined {
  packed.person();
  if (!isObject(user)) {
    errors.add({ problem: 'NOT_AN_OBJECT', parameter: place, words: { parameter: place } });
    return undefined;
  }
  let count = 0;
  let only: string | undefined;
  for (const [name, values] of Object.entries(user)) {
    const kind = rules.kinds.find((each) => each === name);
    const here = `${place}.${quotableName(name)}`;
    if (!kind) {
      errors.add({ problem: 'IDENTIFIER_KIND_UNKNOWN', parameter: here, words: { list: rules.kinds.join(', ') } });
    } else if (values !== null && !Array.isArray(values)) {
      errors.add({ problem: 'NOT_A_LIST', parameter: here });
    } else {
      for (const [index, value] of (values ?? []).entries()) {
        count += 1;
        only = readIdentifier(value, kind, () => `${here}[${index}]`, { errors, packed });
      }
      continue;
    }
    count += 1;
    only = undefined;
  }
  if (count === 0) errors.add({ problem: 'NO_IDENTIFIER', parameter: place });
  return count === 1 ? only : undefined;
}

/** Returns a member name for a message; hides long or unusual names, which may be personal data. @source decision 274 */
function quotableName(name: string): string {
  return /^[A-Za-z_]{1,40}$/.test(name) ? name : '...';
}

/** Parses an identifier; returns its lower-case hash if it was sent hashed. */
function readIdentifier(
  value: unknown,
  kind: IdentifierKind,
  place: () => string,
  { errors, packed }: Pick<ParserState, 'errors' | 'packed'>,
): string | undefined {
  const code = IDENTIFIER_KINDS.indexOf(kind);
  if (kind === 'partner_user_id') {
    const error = plaintextError(value, place);
    if (error) errors.add(error);
    else putHash(packed, hash('sha256', value as string), code);
    return undefined;
  }
  if (typeof value !== 'string' || !HASH.test(value)) {
    errors.add({ problem: 'NOT_A_HASH', parameter: place(), details: hashHint(value, kind) });
    return undefined;
  }
  const folded = value.toLowerCase();
  if (folded === EMPTY_HASH) errors.add({ problem: 'HASH_OF_NOTHING', parameter: place() });
  putHash(packed, folded, code);
  return folded;
}

function plaintextError(value: unknown, place: () => string): ErrorDetail | undefined {
  if (typeof value !== 'string') return { problem: 'NOT_TEXT', parameter: place() };
  if (value === '') return { problem: 'TEXT_EMPTY', parameter: place() };
  // Characters outside the BMP count once.
  const length = value.length > PLAINTEXT_CHARACTERS_MAX ? [...value].length : value.length;
  const words = { max: PLAINTEXT_CHARACTERS_MAX, length };
  return length > PLAINTEXT_CHARACTERS_MAX ? { problem: 'TEXT_TOO_LONG', parameter: place(), words } : undefined;
}

function putHash(packed: PackedWriter, digits: string, code: number): void {
  const at = packed.identifier();
  const bytes = packed.bytes();
  bytes.set(Buffer.from(digits.slice(0, 30), 'hex'), at);
  bytes[at + 15] = code;
}

/** Maximum number of errors reported for an upload; beyond it, only the first of each operation is reported. */
const REPORTED_MAX = 500;
/** Maximum number of errors reported for one operation. */
const REPORTED_PER_OPERATION_MAX = 50;

/**
 * Collects errors by operation, up to a limit: a few are enough to diagnose an upload of 100,000 unhashed values.
 * @source decision 273
 */
function errorList() {
  const operations: { readonly reported: ErrorDetail[]; omitted: number }[] = [];
  let count = 0;
  let reportedCount = 0;
  return {
    /** Starts the next operation. */
    nextOperation: () => void operations.push({ reported: [], omitted: 0 }),
    add(error: ErrorDetail): void {
      const own = operations.at(-1)!;
      const isReported =
        own.reported.length === 0 || (reportedCount < REPORTED_MAX && own.reported.length < REPORTED_PER_OPERATION_MAX);
      if (isReported) own.reported.push(error);
      else own.omitted += 1;
      reportedCount += isReported ? 1 : 0;
      count += 1;
    },
    count: () => count,
    /** Returns the errors of each operation; the last one may report the number of omitted ones. */
    items: (): ErrorDetail[][] =>
      operations.map(({ reported, omitted }) =>
        omitted === 0 ? reported : [...reported, { problem: 'FURTHER_FAULTS', words: { count: omitted } }],
      ),
  };
}

/** Patterns of values that are not hashes, with hints; the first match counts. */
const SHAPES: readonly [pattern: RegExp, details: string, kinds?: readonly IdentifierKind[]][] = [
  [/^$/, 'it is empty'],
  [/^\s+|\s+$/, 'it has surrounding whitespace'],
  [/^0x[0-9a-f]{64}$/i, 'it starts with 0x'],
  [/@.+\./, 'looks like a plain e-mail; send the hash of its lower-case text'],
  [/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'looks like a plain device id; send its hash'],
  [/^[0-9a-f]{16}$/i, 'looks like a plain device id; send its hash', ['device_id']],
  [/^\+?[\d ().-]{6,24}$/, 'looks like a plain phone number; send its hash', ['phone_number']],
  [/^\d{1,20}$/, 'looks like a plain number; send its hash'],
  [/^@?\w{1,15}$/, 'looks like a plain handle; send its hash', ['handle']],
  [/^[0-9a-f]{32}$/i, 'looks like MD5'],
  [/^[0-9a-f]{40}$/i, 'looks like SHA-1'],
  [/^[0-9a-f]{96}$/i, 'looks like SHA-384'],
  [/^[0-9a-f]{128}$/i, 'looks like SHA-512'],
  [/^[0-9a-z+/_-]{43}=?$/i, 'looks like base64; send 64 hexadecimal digits'],
  [/^(\W?[0-9a-f]{64}\W?){2,}$/i, 'looks like several hashes in one value'],
];

/** Explains why a value is not a hash, without quoting it. @source decision 274 */
function hashHint(value: unknown, kind: IdentifierKind): string {
  if (typeof value !== 'string') return value === null ? 'it is null' : `expected a string, got a JSON ${typeof value}`;
  const shape = SHAPES.find(([pattern, , kinds]) => pattern.test(value) && (!kinds || kinds.includes(kind)));
  return shape?.[1] ?? `expected 64 hexadecimal digits, got ${value.length} characters`;
}
