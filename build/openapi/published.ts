import type { Operation } from '../../src/contract/declare/operation.ts';
import { problemDetails } from '../../src/contract/problems/problem-details.ts';
import { isFlat, problems } from '../../src/contract/problems/problems.ts';
import { successesOf } from '../../src/engine/declared-problems.ts';
import { anyOf, closed, type Json, type NamedSchemas, pascal, reference } from '../../src/engine/describe/schemas.ts';
import { refName } from '../../src/engine/describe/words.ts';
import { possibleProblems } from './failures.ts';
import { replyBody, successSchema } from './replies.ts';
import type { DescribeBody } from './responses.ts';

/**
 * The body of a reply as clients read it: one type a resource, one type of errors a family. The echo of the request has no
 * types of its own, and messages are examples, so that rewording them changes no type.
 * @source decision 1240
 */
export const publishedBody: DescribeBody = (operation, status, named) => {
  const { id, shape, success = 200 } = operation;
  if (!successesOf(operation).includes(status)) return failure(operation, status, named);
  const isUsual = status === success;
  const schema = isUsual ? usualBody(operation, named) : replyBody(operation, status, named);
  if (schema === undefined || typeof schema.$ref === 'string') return schema;
  const { data } = (schema.properties ?? {}) as { data?: { $ref?: string; items?: { $ref?: string } } };
  const row = data?.$ref ?? data?.items?.$ref;
  const ownName = `${pascal(id)}${isUsual ? '' : status}Reply`;
  const ofRow = row === undefined ? [] : [`${refName(row)}${ENDS[shape] ?? ''}Reply`];
  return reference(named, schema, [...ofRow, ownName]);
};

const ENDS: Readonly<Partial<Record<Operation['shape'], string>>> = { list: 'List', batch: 'Batch' };

function usualBody(operation: Operation, named: NamedSchemas): Json | undefined {
  if (operation.success === 204) return undefined;
  return successSchema(operation, named, () =>
    operation.shape === 'batch'
      ? { type: 'array', items: reference(named, ITEM, ['RequestItem']) }
      : reference(named, REQUEST, ['RequestEcho']),
  );
}

const PARAMS = { type: 'object', additionalProperties: true, description: 'Its parameters, as far as they were read.' };
const REQUEST = { description: 'The request that is answered.', ...closed({ params: PARAMS }) };
const ITEM = {
  description: 'An item of the request.',
  ...closed({ params: PARAMS, operation_type: { description: 'As it was sent.' } }),
};

const TEXT = { type: 'string' };

function failure(operation: Operation, status: number, named: NamedSchemas): Json {
  const { family, shape, itemProblems } = operation;
  const put = (name: string, schema: Json): Json => reference(named, schema, [name]);
  const numeric = (): Json => put('NumericErrors', errorsOf(put('NumericError', NUMERIC)));
  if (family === 'numeric') return numeric();
  const possible = possibleProblems(operation, status);
  if (family === 'flat') {
    const plain = possible.some(isFlat) ? [put('PlainError', closed({ request: TEXT, error: TEXT }))] : [];
    return anyOf([...plain, ...(possible.every(isFlat) ? [] : [numeric()])]);
  }
  if (family === 'problem') {
    const isMissing = possible.map((name) => problemDetails(name).errors === 'resource');
    return anyOf([
      ...(isMissing.includes(false) ? [put('Problem', PROBLEM)] : []),
      ...(isMissing.includes(true) ? [put('MissingResource', errorsOf(MISSING))] : []),
    ]);
  }
  const error = put('AdsError', ERROR);
  if (shape !== 'batch' && !itemProblems) {
    return put('AdsErrors', closed({ errors: listOf(error), request: put('RequestEcho', REQUEST) }));
  }
  const lists = { errors: listOf(error), operation_errors: { ...listOf(listOf(error, 0)), description: 'By item.' } };
  const request = { description: 'The request that is answered, or its items.' };
  return put('BatchErrors', closed({ ...lists, request }, Object.keys(lists)));
}

function listOf(items: Json, minItems = 1): Json {
  return { type: 'array', ...(minItems > 0 ? { minItems } : {}), items };
}

function errorsOf(error: Json): Json {
  return closed({ errors: listOf(error) });
}

/** The messages of a family as examples: where they name something, it is in braces. */
function message(family: 'ads' | 'numeric' | 'problem'): Json {
  const templates = Object.values(problems).flatMap((row) => row[family]?.[2] ?? []);
  return { type: 'string', examples: [...new Set(templates)].slice(0, 3) };
}

const CODES = new Set(Object.values(problems).map(({ ads }) => ads?.[1]));
/** Problems that calls of all families have keep their numbers. */
const CODE = anyOf([
  { type: 'string', enum: [...CODES].filter((code) => typeof code === 'string').sort() },
  { type: 'integer', enum: [...CODES].filter((code) => typeof code === 'number').sort((one, other) => one - other) },
]);
const OF_ADS = { parameter: TEXT, attribute: TEXT, details: TEXT, value: TEXT };
const ERROR = closed({ code: CODE, message: message('ads'), ...OF_ADS }, Object.keys(OF_ADS));

const NUMERIC = closed({ code: { type: 'integer' }, label: TEXT, message: message('numeric') }, ['label']);

const PROBLEM_ERROR = {
  code: { type: 'integer' },
  parameters: { type: 'object', additionalProperties: { type: 'array', items: TEXT } },
  message: message('problem'),
};
const OF_PROBLEM = {
  status: { type: 'integer' },
  reason: TEXT,
  connection_issue: TEXT,
  errors: listOf(closed(PROBLEM_ERROR, ['code', 'parameters'])),
};
const ABOUT = { title: TEXT, type: { ...TEXT, description: 'The address of a page, or `about:blank`.' }, detail: TEXT };
const PROBLEM = closed({ ...ABOUT, ...OF_PROBLEM }, Object.keys(OF_PROBLEM));
const MISSING = closed({ ...ABOUT, value: TEXT, resource_type: TEXT, parameter: TEXT, resource_id: TEXT });

/** A request body with names for unnamed JSON schemas. */
export function withNamedSchemas(operation: Operation, body: Json, named: NamedSchemas): Json {
  const content = Object.entries(body.content as Record<string, { readonly schema: Json }>).map(([type, each]) => {
    const isNamed = type !== 'application/json' || typeof each.schema.$ref === 'string';
    const schema = isNamed ? each.schema : reference(named, each.schema, [`${pascal(operation.id)}Body`]);
    return [type, { ...each, schema }];
  });
  return { ...body, content: Object.fromEntries(content) };
}

/** Adds a discriminator to each union with a discriminating member, and names for its objects. @source decision 1240 */
export function discriminated(schemas: NamedSchemas): NamedSchemas {
  const all: NamedSchemas = {};
  const walk = (value: unknown, name: string): unknown => {
    if (Array.isArray(value)) return value.map((each) => walk(each, name));
    if (typeof value !== 'object' || value === null) return value;
    const { anyOf: branches, ...rest } = Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, walk(each, name)]),
    ) as { anyOf?: readonly Json[] } & Json;
    const propertyName = branches && discriminatorOf(branches, schemas);
    if (branches === undefined || propertyName === undefined) return branches ? { ...rest, anyOf: branches } : rest;
    const mapped = branches.map((branch) => {
      const words = wordsOf(branch, propertyName, schemas);
      return [
        words,
        typeof branch.$ref === 'string' ? branch : reference(all, branch, [name + pascal(words[0]!)]),
      ] as const;
    });
    const mapping = Object.fromEntries(mapped.flatMap(([words, { $ref }]) => words.map((word) => [word, $ref])));
    return { ...rest, oneOf: mapped.map(([, branch]) => branch), discriminator: { propertyName, mapping } };
  };
  for (const [name, schema] of Object.entries(schemas)) all[name] = walk(schema, name) as Json;
  return all;
}

/** The discriminating member; undefined if there is none. */
function discriminatorOf(branches: readonly Json[], schemas: NamedSchemas): string | undefined {
  if (branches.length < 2) return undefined;
  const required = branches.map((branch) => (behind(branch, schemas).required ?? []) as readonly string[]);
  return required[0]!.find((name) => {
    const words = branches.map((branch) => wordsOf(branch, name, schemas));
    const isIn = required.every((names) => names.includes(name));
    return isIn && words.every(({ length }) => length > 0) && new Set(words.flat()).size === words.flat().length;
  });
}

/** The enum values of a member. */
function wordsOf(branch: Json, member: string, schemas: NamedSchemas): string[] {
  const { const: only, enum: several = [] } = ((behind(branch, schemas).properties as Json | undefined)?.[member] ??
    {}) as { const?: unknown; enum?: readonly unknown[] };
  return [only, ...several].filter((each) => typeof each === 'string');
}

function behind(schema: Json, schemas: NamedSchemas): Json {
  return typeof schema.$ref === 'string' ? schemas[refName(schema.$ref)]! : schema;
}
