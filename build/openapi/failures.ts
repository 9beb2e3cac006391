import type { Operation } from '../../src/contract/declare/operation.ts';
import { problemDetails } from '../../src/contract/problems/problem-details.ts';
import { type Family, isFlat, type ProblemName, problems, wordingIn } from '../../src/contract/problems/problems.ts';
import { declaredProblems, ownParameterProblems, wording } from '../../src/engine/declared-problems.ts';
import { anyOf, closed, type Json, type NamedSchemas } from '../../src/engine/describe/schemas.ts';
import { batchEcho, echoSchema } from './inputs.ts';

/** A regular expression that matches all messages of a template. */
export function messagePattern(template: string): string {
  const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return `^${template
    .split(/\{\w+\}/)
    .map(literal)
    .join('[\\s\\S]*')}$`;
}

const named = Object.keys(problems) as ProblemName[];

/** For each family, the first problem with the same wording as a problem; computed once. */
const firsts: Readonly<Record<Family, ReadonlyMap<ProblemName, ProblemName>>> = {
  ads: firstsOf('ads'),
  numeric: firstsOf('numeric'),
  problem: firstsOf('problem'),
  flat: firstsOf('flat'),
};

function firstsOf(family: Family): ReadonlyMap<ProblemName, ProblemName> {
  const groups = Map.groupBy(named, (name) => String(wording({ family }, name)));
  return new Map([...groups.values()].flatMap((alike) => alike.map((name) => [name, alike[0]!] as const)));
}

/** Problems with the same wording are described once, under the name of the first. */
function firstWithSameWording(family: Family, name: ProblemName): ProblemName {
  return firsts[family].get(name)!;
}

const SCHEMA_NAMES: Readonly<Record<Family, string>> = {
  ads: 'Error',
  numeric: 'NumericError',
  problem: 'Problem',
  flat: 'FlatError',
};

/** A reference to the schema of one error, which is added to the named schemas. */
function errorSchema(family: Family, name: ProblemName, into: NamedSchemas): Json {
  const first = firstWithSameWording(family, name);
  const key = `${SCHEMA_NAMES[family]}.${first}`;
  into[key] ??= oneError(family, first);
  return { $ref: `#/components/schemas/${key}` };
}

function oneError(family: Family, name: ProblemName): Json {
  const [, code, template] = wording({ family }, name);
  const alike = named.filter((each) => firstWithSameWording(family, each) === name);
  const { label } = problems[name];
  const members: Json = {
    code: { const: code },
    ...(family !== 'ads' && label ? { label: { const: label } } : {}),
    message: messageSchema(template),
  };
  if (family === 'flat' && isFlat(name)) return { description: descriptionOf(alike), ...flatShape(template) };
  const extra = Object.fromEntries(
    ['parameter', 'attribute', 'details', 'value'].map((each) => [each, { type: 'string' }]),
  );
  const shape =
    family === 'ads'
      ? closed({ ...members, ...extra }, Object.keys(extra))
      : family === 'problem'
        ? problemShape(name)
        : closed(members);
  return { description: descriptionOf(alike), ...shape };
}

function descriptionOf(alike: readonly ProblemName[]): string {
  return alike.map((each) => capital(problems[each].when)).join(' ');
}

/** A plain message, optionally followed by those of further errors. */
function flatShape(template: string): Json {
  const pattern = `${messagePattern(template).slice(0, -1)}(; [\\s\\S]*)?$`;
  return closed({ request: { type: 'string' }, error: { type: 'string', pattern } });
}

/** The schema of the messages of a template. */
function messageSchema(template: string): Json {
  return { type: 'string', ...(template.includes('{') ? { pattern: messagePattern(template) } : { const: template }) };
}

function capital(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}

/** The body of a problem in version 2. */
function problemShape(name: ProblemName): Json {
  const { status, title, detail, slug, errors, extraMembers: beside } = problemDetails(name);
  const [, code, message] = wordingIn('problem', name);
  const type = slug === undefined ? { const: 'about:blank' } : { type: 'string', pattern: `/2/problems/${slug}$` };
  const members: Json = { title: { const: title }, type, detail: messageSchema(detail) };
  if (errors === 'parameters') {
    const parameters = { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } };
    const first = closed({ parameters, message: messageSchema(message) });
    // Further errors are listed too.
    const others = closed({ parameters, message: { type: 'string' } });
    return closed({ ...members, errors: { type: 'array', minItems: 1, prefixItems: [first], items: others } });
  }
  if (errors === 'resource') return resourceShape(members);
  const codes = {
    type: 'array',
    minItems: 1,
    maxItems: 1,
    items: closed({ code: { const: code }, message: messageSchema(message) }),
  };
  const words = Object.fromEntries(Object.entries(beside).map(([member, word]) => [member, { const: word }]));
  return closed({ ...members, status: { const: status }, ...words, ...(errors === 'code' ? { errors: codes } : {}) });
}

/** The body of a problem about a missing resource. */
function resourceShape(members: Json): Json {
  const text = { type: 'string' };
  const one = closed({ ...members, value: text, resource_type: text, parameter: text, resource_id: text });
  return closed({ errors: { type: 'array', minItems: 1, maxItems: 1, items: one } });
}

/** The schema of a response with errors out of `names`; in the family `ads`, with the echo of the request. */
export function errorEnvelope(
  family: Family,
  names: readonly ProblemName[],
  request: () => Json,
  into: NamedSchemas,
): Json {
  if (family === 'flat') return flatEnvelope(names, into);
  const pointers = new Map(names.map((name) => [firstWithSameWording(family, name), errorSchema(family, name, into)]));
  if (family === 'problem') return anyOf([...pointers.values()]);
  const errors = { type: 'array', minItems: 1, items: anyOf([...pointers.values()]) };
  return family === 'ads' ? closed({ errors, request: request() }) : closed({ errors });
}

/** A plain message, or a list of errors for authentication problems. */
function flatEnvelope(names: readonly ProblemName[], into: NamedSchemas): Json {
  const [flat, listed] = [names.filter(isFlat), names.filter((name) => !isFlat(name))];
  const pointers = new Map(flat.map((name) => [firstWithSameWording('flat', name), errorSchema('flat', name, into)]));
  const lists = listed.length === 0 ? [] : [errorEnvelope('numeric', listed, () => ({}), into)];
  return anyOf([...pointers.values(), ...lists]);
}

/** The problems of an operation that are reported with a status, sorted. */
export function problemsOfStatus(operation: Operation, status: number): ProblemName[] {
  return declaredProblems(operation)
    .filter((name) => wording(operation, name)[0] === status)
    .sort();
}

/**
 * The problems that can share a reply with `own`: errors of all rules are reported together, and so are those of
 * parameters.
 */
function reportedTogether(operation: Operation, own: readonly ProblemName[]): ProblemName[] {
  // Regardless of their statuses: the first error determines that of the reply.
  const groups = [operation.problems, ownParameterProblems(operation)];
  return groups.filter((group) => own.some((name) => group.includes(name))).flat();
}

/** The problems that a reply with an error status can report. */
export function possibleProblems(operation: Operation, status: number): ProblemName[] {
  const own = problemsOfStatus(operation, status);
  return [...new Set([...own, ...reportedTogether(operation, own)])];
}

/** The exact JSON Schema of an operation's reply with an error status: with its messages, and the echo of the request. */
export function failureSchema(operation: Operation, status: number, into: NamedSchemas): Json {
  const own = problemsOfStatus(operation, status);
  const isRead = status === 400 || status === 404 || reportedTogether(operation, own).length > 0;
  const request = (): Json => {
    const params = closed({ params: isRead ? ownEcho(operation, into) : anyEcho(into) });
    return operation.shape === 'batch' ? { anyOf: [params, { type: 'array', maxItems: 0 }] } : params;
  };
  const envelope = errorEnvelope(operation.family, possibleProblems(operation, status), request, into);
  return status === 400 && operation.itemProblems ? { anyOf: [envelope, itemErrors(operation, into)] } : envelope;
}

/** The echo of a call whose parameters were parsed, at least in part. */
function ownEcho(operation: Operation, into: NamedSchemas): Json {
  const key = `Echo.${operation.id}`;
  into[key] ??= {
    description: 'The parameters of the request, as far as they could be read.',
    ...echoSchema(operation, into, 'if known'),
  };
  return { $ref: `#/components/schemas/${key}` };
}

/** The echo of a call that failed before its parameters were parsed: one schema for all operations. */
function anyEcho(into: NamedSchemas): Json {
  const values = { type: ['string', 'number', 'boolean', 'array', 'null'] };
  into.Echo ??= {
    type: 'object',
    description: 'The parameters of the request, as far as they could be read.',
    additionalProperties: values,
  };
  return { $ref: '#/components/schemas/Echo' };
}

function itemErrors(operation: Operation, into: NamedSchemas): Json {
  const items = operation.itemProblems!.map((name) => errorSchema(operation.family, name, into));
  const each = { type: 'array', items: anyOf([...new Map(items.map((item) => [item.$ref, item])).values()]) };
  const errors = { type: 'array', minItems: 1, items: each, description: 'The errors of each item.' };
  const request =
    operation.shape === 'batch' ? batchEcho(operation, into, 'refused') : closed({ params: ownEcho(operation, into) });
  return closed({ operation_errors: errors, request });
}
