import {
  behind,
  type Document,
  operationsOf,
  type PlacedOperation,
  reached,
  refName,
  replySchemas,
  type Schema,
  sentBody,
} from './document.ts';

const HEAD = '// Made by build/client.ts from the OpenAPI document.\n\n';

/** Whether a value is sent or received: what is sent may be undefined, a Date or a readonly list. */
type Way = 'sent' | 'received';

/** The types of all bodies. */
export function typesModule(document: Document): string {
  const operations = operationsOf(document);
  const received = reached([...operations.flatMap(replySchemas), { $ref: 'AdsErrors' }], document);
  const sent = reached(
    operations.map((each) => sentBody(each)?.schema),
    document,
  );
  const named = Object.entries(document.components.schemas).filter(([name]) => received.has(name) || sent.has(name));
  const types = named.map(([name, schema]) => declaration(name, schema, received.has(name) ? 'received' : 'sent'));
  return `${HEAD}import type { Bytes } from '../transport.ts';\n\n${[...types, ...operations.flatMap((each) => paramsOf(each, document))].join('\n')}`;
}

/** The methods of the client, and the table from which it makes them. */
export function operationsModule(document: Document): string {
  const groups = Map.groupBy(operationsOf(document), (operation) => methodPath(operation)[0]);
  const names = [...groups.keys()];
  for (const taken of ['options', 'login', 'with', 'upload']) {
    if (names.includes(taken)) throw new Error(`The client has a member ${taken} of its own`);
  }
  const types = [...groups].map(([group, each]) => {
    const methods = each.map((operation) => method(operation, document)).join('');
    return `  readonly ${group}: {\n${methods}  };\n`;
  });
  const rows = [...groups].map(([group, each]) => {
    const lines = each
      .map((operation) => `    ${methodPath(operation)[1]}: '${line(operation, document)}',\n`)
      .join('');
    return `  ${group}: {\n${lines}  },\n`;
  });
  const imports = [
    "import type { Listing } from '../listing.ts';",
    "import type { ActivityEvent } from '../stream.ts';",
    "import type { CallOptions } from '../transport.ts';",
    "import type * as types from './types.ts';",
  ].join('\n');
  return [
    `${HEAD}${imports}\n\n/** The operations of a server. */\nexport interface Operations {\n${types.join('')}}\n`,
    `/** Method and path of each operation, the kind of reply unless it is one reply, the credential unless it is a user's. */\nexport const OPERATIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {\n${rows.join('')}};\n`,
  ].join('\n');
}

/** Method and path of an operation, then what differs from a signed call with one reply. */
function line(operation: PlacedOperation, document: Document): string {
  const { method, path } = operation;
  const words = [kindOf(operation, document), credentialOf(operation)].filter(
    (word) => word !== 'reply' && word !== 'user',
  );
  const sent = sentBody(operation);
  const body = sent?.form.endsWith('urlencoded') ? ['form'] : method === 'DELETE' && sent ? ['json'] : [];
  return [method, path, ...words, ...body].join(' ');
}

function credentialOf({ security = [{ oauth1: [] }] }: PlacedOperation): string {
  return security
    .flatMap((each) => Object.keys(each))
    .map((name) => (name === 'oauth1' ? 'user' : name))
    .join('-or-');
}

function kindOf(operation: PlacedOperation, document: Document): 'reply' | 'list' | 'stream' {
  if (operation.operationId === 'activity.stream') return 'stream';
  const [reply] = replySchemas(operation);
  const { data, next_cursor } = (reply && behind(reply, document).properties) ?? {};
  return operation.method === 'GET' && next_cursor && data?.items ? 'list' : 'reply';
}

function method(operation: PlacedOperation, document: Document): string {
  const { summary, method: verb, path, deprecated } = operation;
  const notes = [`${summary}. \`${verb} ${path}\``, ...(deprecated ? ['@deprecated'] : [])];
  const isNeeded = hasRequired(operation, document);
  const params = hasParams(operation)
    ? `params${isNeeded ? '' : '?'}: types.${paramsName(operation)}`
    : 'params?: Record<string, never>';
  return `${comment(notes.join(' '), '    ')}    ${methodPath(operation)[1]}(${params}, options?: CallOptions): ${resultOf(operation, document)};\n`;
}

function resultOf(operation: PlacedOperation, document: Document): string {
  const kind = kindOf(operation, document);
  if (kind === 'stream') return 'AsyncGenerator<ActivityEvent, void, undefined>';
  const replies = replySchemas(operation).map((each) => (each ? `types.${refName(each.$ref!)}` : 'undefined'));
  if (kind === 'reply') return `Promise<${[...new Set(replies)].join(' | ')}>`;
  return `Listing<${replies[0]}['data'][number], ${replies[0]}>`;
}

/** The type of the parameters of an operation: those of its path and query, and the members of its body. */
function paramsOf(operation: PlacedOperation, document: Document): string[] {
  if (!hasParams(operation)) return [];
  const { parameters = [] } = operation;
  const body = sentBody(operation)?.schema;
  const isList = body !== undefined && isListed(body, document);
  const members = Object.fromEntries([
    ...parameters.map(({ name, schema, description }) => [name, { ...schema, ...(description && { description }) }]),
    ...(isList ? [['body', body]] : []),
  ]) as Record<string, Schema>;
  const required = [...parameters.filter((each) => each.required).map(({ name }) => name), ...(isList ? ['body'] : [])];
  const own = Object.keys(members).length > 0 ? [objectType({ properties: members, required }, 'sent', '')] : [];
  const all = [...own, ...(body && !isList ? [typeOf(body, 'sent', '')] : [])];
  return [
    `/** The parameters of \`${operation.operationId}\`. */\nexport type ${paramsName(operation)} = ${all.join(' & ')};\n`,
  ];
}

function hasParams(operation: PlacedOperation): boolean {
  return (operation.parameters ?? []).length > 0 || sentBody(operation) !== undefined;
}

function hasRequired(operation: PlacedOperation, document: Document): boolean {
  const body = sentBody(operation)?.schema;
  if (operation.parameters?.some(({ required }) => required)) return true;
  if (body === undefined) return false;
  const parts = (body.allOf ?? [body]).map((each) => behind(each, document));
  return isListed(body, document) || parts.some(({ required = [] }) => required.length > 0);
}

/** Whether a body is a list, or may be one: it is then the parameter `body`. */
function isListed(body: Schema, document: Document): boolean {
  return body.allOf === undefined && behind(body, document).type !== 'object';
}

function declaration(name: string, schema: Schema, way: Way): string {
  const about = schema.description ? comment(schema.description, '') : '';
  if (schema.type !== 'object' || !schema.properties)
    return `${about}export type ${name} = ${typeOf(schema, way, '')};\n`;
  return `${about}export interface ${name} ${objectType(schema, way, '')}\n`;
}

function typeOf(schema: Schema, way: Way, indent: string): string {
  const { $ref, anyOf, oneOf, allOf, items, type, format } = schema;
  const joined = (parts: readonly Schema[], by: string): string => {
    const types = [...new Set(parts.map((each) => typeOf(each, way, indent)))];
    return types.length > 1 ? `(${types.join(by)})` : types[0]!;
  };
  if ($ref) return refName($ref);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((word) => JSON.stringify(word)).join(' | ');
  if (anyOf ?? oneOf) return joined((anyOf ?? oneOf)!, ' | ');
  if (allOf) return joined(allOf, ' & ');
  if (Array.isArray(type))
    return joined(
      type.map((each: string) => ({ ...schema, type: each })),
      ' | ',
    );
  if (schema.contentMediaType) return 'Bytes';
  if (type === 'array') {
    const item = items ? typeOf(items, way, indent) : 'unknown';
    const list = /[|&]/.test(item) && !/^[({]/.test(item) ? `(${item})[]` : `${item}[]`;
    return way === 'sent' ? `readonly ${list}` : list;
  }
  if (type === 'object') return objectType(schema, way, indent);
  if (type === 'string') return way === 'sent' && format === 'date-time' ? 'string | Date' : 'string';
  if (type === 'integer' || type === 'number') return 'number';
  return type === 'boolean' || type === 'null' ? type : 'unknown';
}

function objectType(schema: Schema, way: Way, indent: string): string {
  const { properties = {}, required = [], patternProperties = {}, additionalProperties } = schema;
  const further = [
    ...Object.values(patternProperties),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
  ];
  const members = Object.entries(properties);
  if (members.length === 0) {
    const values = further.map((each) => typeOf(each, way, indent));
    if (values.length > 0) return `{ [name: string]: ${[...new Set(values)].join(' | ')} }`;
    return additionalProperties === false ? 'Record<string, never>' : 'Record<string, unknown>';
  }
  const inner = `${indent}  `;
  const lines = members.map(([name, member]) => {
    const type = typeOf(member, way, inner);
    const isNeeded = required.includes(name);
    const value = way === 'sent' && !isNeeded ? `${type} | undefined` : type;
    const word = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    return `${comment(aboutMember(member), inner)}${inner}${word}${isNeeded ? '' : '?'}: ${value};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

function aboutMember({ description = '', default: fallback }: Schema): string {
  return [description, ...(fallback === undefined ? [] : [`@default ${JSON.stringify(fallback)}`])].join(' ').trim();
}

function comment(text: string, indent: string): string {
  return text === '' ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/').replace(/\s+/g, ' ')} */\n`;
}

function camel(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Where the client has an operation: `['lineItems', 'create']`. */
export function methodPath({ operationId }: PlacedOperation): [group: string, method: string] {
  const [group = '', method = ''] = operationId.split('.').map(camel);
  return [group, method];
}

function paramsName({ operationId }: PlacedOperation): string {
  const name = camel(operationId.replace('.', '_'));
  return `${name[0]!.toUpperCase()}${name.slice(1)}Params`;
}
