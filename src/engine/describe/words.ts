import type { Field } from '../../contract/declare/fields.ts';
import type { CredentialKind, Operation } from '../../contract/declare/operation.ts';
import { type Json, portable } from './schemas.ts';

/** A value described for people: its type, bounds and choices. */
export interface ValueWords {
  readonly type: string;
  readonly limits: string;
  readonly choices: readonly string[];
}

/** A parameter described for people. */
export interface ParameterWords extends ValueWords {
  readonly name: string;
  readonly place: 'path' | 'query' | 'body';
  readonly isRequired: boolean;
  /** The default as written; empty when there is none. */
  readonly fallback: string;
  readonly about: string;
}

/** Describes what a schema accepts. */
export function valueWords(schema: Json): ValueWords {
  const { items, anyOf, $ref } = schema as { items?: Json; anyOf?: Json[]; $ref?: string };
  if ($ref) return { type: spaced(refName($ref)), limits: '', choices: [] };
  if (anyOf) {
    const types = anyOf.filter((each) => each.type !== 'null').map((each) => valueWords(each).type);
    return { type: [...new Set(types)].join(' or '), limits: '', choices: [] };
  }
  if (items) {
    const item = valueWords(items);
    const limits = [schema.maxItems ? `at most ${schema.maxItems}` : '', item.limits].filter(Boolean).join('; ');
    return { type: `list of ${item.type}`, limits, choices: item.choices };
  }
  return { type: typeWord(schema), limits: boundsOf(schema), choices: choicesOf(schema) };
}

/** The name of the schema that a reference points to. */
export function refName(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

/** The name of a schema in words: `Media component` for `MediaComponent`. */
export function spaced(name: string): string {
  return name.replace(/(?<=.)([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
}

function typeWord(schema: Json): string {
  const type = [schema.type].flat().find((each) => each !== 'null');
  if (schema.enum) return 'enum';
  if (schema.format === 'date-time') return 'time';
  if (schema.pattern === '^[0-9a-z]+$') return 'id';
  if (schema.type === 'null') return 'null';
  if (type === undefined) return 'any value';
  return type === 'string' ? 'text' : String(type);
}

function boundsOf(schema: Json): string {
  const { minimum, maximum, maxLength, pattern } = schema;
  if (maximum === Number.MAX_SAFE_INTEGER) return `${minimum} or more`;
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`;
  return maxLength !== undefined && pattern === undefined ? `1 to ${maxLength} characters` : '';
}

function choicesOf(schema: Json): string[] {
  const all = (schema.enum ?? (schema.const === undefined ? [] : [schema.const])) as readonly unknown[];
  return all.filter((word) => word !== null).map(String);
}

/** The names of the `:name` segments of a path template. */
export function pathNames(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map((match) => match[1]!);
}

/** Whether the body of an operation is JSON, and nothing else. */
export function hasJsonBody({ body }: Pick<Operation, 'body'>): boolean {
  return body === 'json' || body === 'members' || body === 'bytes' || body === 'object';
}

/** Describes the parameters of an operation, path parameters first; not the members of a body in JSON. */
export function parameterWords(operation: Operation): ParameterWords[] {
  const inPath = pathNames(operation.path).map((name) => ({
    name,
    place: 'path' as const,
    type: operation.pathParameters?.[name]?.kind.name ?? 'id',
    limits: '',
    choices: [],
    isRequired: true,
    fallback: '',
    about: name === 'account_id' ? 'The account.' : `The ${name.replace(/_id$/, '').replaceAll('_', ' ')}.`,
  }));
  const place = operation.method === 'POST' || operation.method === 'PUT' ? 'body' : 'query';
  const all = { ...operation.protocolParameters, ...(!hasJsonBody(operation) && operation.parameters) };
  const input = Object.entries(all).map(([name, field]) => fieldWords(name, field, place));
  // Updates keep the values of omitted members, so there is no default.
  const given = operation.method === 'PUT' ? input.map((words) => ({ ...words, fallback: '' })) : input;
  return [...inPath, ...given, ...fileWords(operation)];
}

function fileWords({ files = {} }: Operation): ParameterWords[] {
  return Object.entries(files).map(([name, { about, isBase64 }]) => ({
    name,
    place: 'body' as const,
    type: isBase64 ? 'base64' : 'file',
    limits: '',
    choices: [],
    isRequired: false,
    fallback: '',
    about: `${about} In a multipart/form-data body.`,
  }));
}

function fieldWords(name: string, field: Field, place: 'query' | 'body'): ParameterWords {
  const fallback = field.defaultValue === undefined ? '' : String(JSON.parse(field.kind.toJson(field.defaultValue)));
  const words =
    field.kind.name === 'sort'
      ? { type: 'sort keys', limits: '', choices: [] }
      : valueWords(portable(field.kind.schema, {}));
  return { name, place, ...words, isRequired: field.isRequired, fallback, about: field.description };
}

const CREDENTIALS: Readonly<Record<CredentialKind, string>> = {
  user: 'the access token of a user',
  consumer: 'consumer key and secret, signed',
  'request-token': 'a request token',
  basic: 'consumer key and secret, as Basic',
  bearer: 'the bearer token of the application',
  publisher: 'the credential of a publisher, as Bearer',
  'user-or-bearer': 'the access token of a user, or the bearer token of the application',
  'owner-or-basic': 'an access token of the owner, or consumer key and secret as Basic',
};

/** Describes the credential that a caller must present. */
export function credentialWords({ credential = 'user' }: Operation): string {
  return CREDENTIALS[credential];
}
