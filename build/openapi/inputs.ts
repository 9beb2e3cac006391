import { type Schema, Type } from '../../src/base/json-schema.ts';
import type { Field } from '../../src/contract/declare/fields.ts';
import type { Operation, Parameters } from '../../src/contract/declare/operation.ts';
import {
  anyOf,
  closed,
  type Json,
  type NamedSchemas,
  nullable,
  pascal,
  portable,
} from '../../src/engine/describe/schemas.ts';
import { pathNames } from '../../src/engine/describe/words.ts';
import { inputValueSchema } from '../../src/rows/serializer.ts';
import { exampleValue } from './examples.ts';

/** Whether the parameters of an operation are sent in a body rather than in the query. */
function hasFormBody(operation: Operation): boolean {
  const { method, body, parameters } = operation;
  return (
    body !== 'json' &&
    body !== 'members' &&
    body !== 'bytes' &&
    (method === 'POST' || method === 'PUT') &&
    (Object.keys(parameters).length > 0 || operation.files !== undefined)
  );
}

/** JSON Schema of a parameter as input, with its default. */
export function inputSchema(field: Field, named: NamedSchemas): Json {
  const fallback =
    field.defaultValue === undefined ? {} : { default: JSON.parse(field.kind.toJson(field.defaultValue)) };
  return { ...portable(field.kind.schema, named), ...fallback };
}

const PATH_ID = { type: 'string', pattern: '^[0-9a-z]+$', maxLength: 64 };

function pathSchema(
  { pathParameters = {} }: Operation,
  name: string,
  named: NamedSchemas,
): { description: string; schema: Json } {
  const key = pathParameters[name];
  if (!key) return { description: 'Id; case-insensitive.', schema: PATH_ID };
  return { description: key.description, schema: inputSchema(key, named) };
}

/** The path and query parameters. */
export function parameterObjects(operation: Operation, named: NamedSchemas): Json[] {
  const inPath = pathNames(operation.path).map((name) => ({
    name,
    in: 'path',
    required: true,
    ...pathSchema(operation, name, named),
    ...exampleValue(operation, name),
  }));
  const protocol = Object.entries(operation.protocolParameters ?? {}).map(([name, field]) => ({
    ...inQuery(name, field, named),
    description: `${field.description} In header, query or form.`,
  }));
  if (hasFormBody(operation) || operation.body !== 'form') return [...inPath, ...protocol];
  return [
    ...inPath,
    ...protocol,
    ...Object.entries(operation.parameters).map(([name, field]) => ({
      ...inQuery(name, field, named),
      ...exampleValue(operation, name),
    })),
  ];
}

function inQuery(name: string, field: Field, named: NamedSchemas): Json {
  const schema = inputSchema(field, named);
  return {
    name,
    in: 'query',
    required: field.isRequired,
    ...(field.description ? { description: field.description } : {}),
    ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
    schema,
  };
}

/** JSON Schema of a body with declared members only; optional ones may be null. */
function membersSchema(members: Parameters): Schema {
  const properties = Object.entries(members).map(([name, { kind, isRequired }]) => [
    name,
    isRequired ? kind.schema : Type.Optional(Type.Union([kind.schema, Type.Null()])),
  ]);
  return Type.Object(Object.fromEntries(properties), { additionalProperties: false });
}

/** The body of an operation, if it has one. */
export function requestBody(operation: Operation, named: NamedSchemas): Json | undefined {
  if (operation.body === 'json' || operation.body === 'members' || operation.body === 'bytes') {
    const { bodyMembers = {}, request = membersSchema(bodyMembers) } = operation;
    const schema = withMeanings(portable(request, named), bodyMembers);
    return { required: true, content: { 'application/json': { schema } } };
  }
  if (operation.body === 'object') {
    return { required: true, content: { 'application/json': { schema: bodySchema(operation, named) } } };
  }
  if (!hasFormBody(operation)) return undefined;
  const { parameters, formOnly } = operation;
  const lists = Object.keys(parameters).filter((name) => inputSchema(parameters[name]!, {}).type === 'array');
  const schema = bodySchema(operation, named);
  const encoding = Object.fromEntries(lists.map((name) => [name, { style: 'form', explode: false }]));
  const inParts = operation.files && {
    'multipart/form-data': {
      schema: { allOf: [schema, { type: 'object', properties: fileSchemas(operation.files) }] },
    },
  };
  return {
    ...(formOnly ? {} : { description: 'The same parameters are accepted in the query; those in the body win.' }),
    required: Object.values(parameters).some(({ isRequired }) => isRequired),
    content: {
      ...inParts,
      'application/x-www-form-urlencoded': { schema, ...(lists.length > 0 ? { encoding } : {}) },
      ...(formOnly ? {} : { 'application/json': { schema } }),
    },
  };
}

/** Adds the declared descriptions of members to an object schema. */
function withMeanings(schema: Json, members: Parameters, within = ''): Json {
  const { properties, items } = schema as { properties?: Readonly<Record<string, Json>>; items?: Json };
  if (items) return { ...schema, items: withMeanings(items, members, within.replace(/\.$/, '[].')) };
  if (!properties) return schema;
  const shown = Object.entries(properties).map(([name, member]) => {
    const { description } = members[within + name] ?? {};
    return [name, { ...(description && { description }), ...withMeanings(member, members, `${within}${name}.`) }];
  });
  return { ...schema, properties: Object.fromEntries(shown) };
}

/** A reference to the schema of the parameters in a body, which is added to the named schemas. */
function bodySchema(operation: Operation, named: NamedSchemas): Json {
  const { parameters } = operation;
  const members = Object.entries(parameters).map(([name, field]) => [name, memberSchema(operation, field, named)]);
  const required = Object.keys(parameters).filter((name) => parameters[name]!.isRequired);
  const key = `${pascal(operation.id)}Body`;
  named[key] ??= {
    type: 'object',
    ...(required.length > 0 ? { required } : {}),
    properties: Object.fromEntries(members) as Json,
  };
  return { $ref: `#/components/schemas/${key}` };
}

function fileSchemas(files: NonNullable<Operation['files']>): Json {
  const members = Object.entries(files).map(([name, { about, isBase64 }]) => [
    name,
    { description: about, ...(isBase64 ? { type: 'string', contentEncoding: 'base64' } : { contentMediaType: BYTES }) },
  ]);
  return Object.fromEntries(members) as Json;
}

const BYTES = 'application/octet-stream';

function memberSchema(operation: Operation, field: Field, named: NamedSchemas): Json {
  const isUpdate = operation.method === 'PUT';
  const { default: fallback, ...schema } = inputSchema(field, named);
  const isUnsettable = isUpdate && (field.isNullable || field.isDerived) && field.kind.name !== 'refused';
  const notes = [
    field.description,
    isUpdate && field.writable === 'create' ? 'Fixed when it was created: accepted, and ignored.' : '',
    isUnsettable ? 'Given empty, it is unset.' : '',
  ].filter((note) => note !== '');
  return {
    ...(isUnsettable ? nullable(schema) : schema),
    ...(fallback === undefined || isUpdate ? {} : { default: fallback }),
    ...(notes.length > 0 ? { description: notes.join(' ') } : {}),
  };
}

/** The typed echo of a request: path parameters and all other input. */
export function echoSchema(operation: Operation, named: NamedSchemas, path: 'always' | 'if known'): Json {
  const inPath = pathNames(operation.path);
  const input = echoed(operation.parameters, named);
  // Path parameters of a refused call are echoed as received.
  const schemaOf = (name: string): Json =>
    path === 'always' ? pathSchema(operation, name, named).schema : { type: 'string' };
  const fixed = Object.entries(operation.extraEcho ?? {}).map(([name, value]) => [name, { const: value }]);
  const always: Json = {
    ...Object.fromEntries(inPath.map((name) => [name, schemaOf(name)])),
    ...Object.fromEntries(fixed),
  };
  const members = { ...always, ...input };
  return closed(members, path === 'always' ? Object.keys(input) : Object.keys(members));
}

function echoed(parameters: Parameters, named: NamedSchemas): Json {
  const members = Object.entries(parameters).map(([name, field]) => {
    const { description, ...schema } = asReceived(portable(inputValueSchema(field), named));
    return [name, schema];
  });
  return Object.fromEntries(members) as Json;
}

/** Values with several spellings are echoed as sent, and unset values as empty texts. @source decision 580 */
function asReceived(schema: Json): Json {
  const shape = asWritten(schema);
  const shapes = branchesOf(shape) ?? [shape];
  const isUnset = shapes.some((each) => typesOf(each).includes('null'));
  const isText = shapes.some((each) => typesOf(each).includes('string'));
  return isUnset && !isText ? anyOf([...shapes, { const: '' }]) : shape;
}

/** Texts, including times and dates, may have any spelling; other schemas stay as they are. */
function asWritten(schema: Json): Json {
  const { items } = schema as { readonly items?: Json };
  if (typesOf(schema).includes('string')) return { type: schema.type };
  if (items) return { ...schema, items: asReceived(items) };
  const branches = branchesOf(schema);
  if (!branches) return schema;
  const shapes = branches.map(asWritten).flatMap((shape) => branchesOf(shape) ?? [shape]);
  return anyOf([...new Map(shapes.map((shape) => [JSON.stringify(shape), shape])).values()]);
}

function branchesOf(schema: Json): readonly Json[] | undefined {
  return schema.anyOf as readonly Json[] | undefined;
}

function typesOf({ type }: Json): readonly unknown[] {
  return [type ?? []].flat();
}

/**
 * The echo of a batch: its items in order. Invalid parameters of a refused item are echoed as received.
 * @source decision 48
 */
export function batchEcho(operation: Operation, named: NamedSchemas, items: 'good' | 'refused'): Json {
  const asked = portable(operation.request, named).items as Json;
  const verbs = ((asked.anyOf as Json[] | undefined) ?? [asked]).map((item) => item.properties as Json);
  if (items === 'refused') {
    const names = Object.keys(Object.assign({}, ...verbs.map(membersOf)));
    const members: Json = { account_id: PATH_ID, ...Object.fromEntries(names.map((name) => [name, {}])) };
    const params = closed(members, Object.keys(members));
    return { type: 'array', items: closed({ params, operation_type: {} }) };
  }
  const good = verbs.map((item) => {
    const { required = [] } = item.params as { required?: string[] };
    const received = Object.entries(membersOf(item)).map(([name, member]) => [name, asReceived(member as Json)]);
    const members = { account_id: PATH_ID, ...(Object.fromEntries(received) as Json) };
    const optional = Object.keys(members).filter((name) => name !== 'account_id' && !required.includes(name));
    return closed({ params: closed(members, optional), operation_type: item.operation_type });
  });
  return { type: 'array', items: good.length === 1 ? good[0] : { anyOf: good } };
}

function membersOf(item: Json): Json {
  return (item.params as Json).properties as Json;
}
