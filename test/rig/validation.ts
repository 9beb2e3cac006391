import { hash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AnySchemaObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { byDefault } from '../../build/docs/generated-docs.ts';
import { errorEnvelope } from '../../build/openapi/failures.ts';
import { openApiOf } from '../../build/openapi/openapi.ts';
import { publishedBody } from '../../build/openapi/published.ts';
import { replyBody } from '../../build/openapi/replies.ts';
import type { DescribeBody } from '../../build/openapi/responses.ts';
import { operations } from '../../src/app/dependencies.ts';
import type { Operation } from '../../src/contract/declare/operation.ts';
import { type Family, type ProblemName, wordingIn } from '../../src/contract/problems/problems.ts';
import { UNREAD, UNROUTED } from '../../src/engine/declared-problems.ts';
import type { Json, NamedSchemas } from '../../src/engine/describe/schemas.ts';
import { familyOf } from '../../src/http/send-error.ts';
import { CACHE } from './cache.ts';
import { recordSeen } from './ledger.ts';

/** The description that replies are held against: what is published, and the exact messages and echoes of requests. */
export const openApi = described() as Json & { readonly paths: Record<string, Record<string, Json>> };

/** Made once a run: to read it takes a tenth of the time. */
function described(): Json {
  const file = process.env.TEST_DESCRIPTION;
  return file ? JSON.parse(readFileSync(file, 'utf8')) : openApiOf(operations, byDefault, exactly);
}

function exactly(...[operation, status, named]: Parameters<DescribeBody>): Json | undefined {
  const published = publishedBody(operation, status, named);
  return published && { allOf: [published, replyBody(operation, status, named)] };
}

/** Writes the description into a folder, for the processes that are started from now on. */
export function keepDescription(folder: string): void {
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(openApi));
  process.env.TEST_DESCRIPTION = file;
}

/** A compiler that knows what is shared; the rest of the description, most of it, is compiled where it is pointed to. */
function compiler(keepsSource: boolean): Ajv2020 {
  // Most schemas are used a few times: what is pointed to is compiled once, as it stands.
  const quickly = { inlineRefs: false, meta: false, validateSchema: false } as const;
  const code = { optimize: false, source: keepsSource } as const;
  const made = new Ajv2020({ strict: false, allErrors: false, formats: { 'date-time': true }, ...quickly, code });
  made.addSchema({ components: openApi.components } as AnySchemaObject, 'openapi');
  return made;
}

const ajv = compiler(false);

/** Paths of the service itself, which are no part of the interface. */
const OWN =
  /^\/(_dev|e\/[ic]|docs|internal|livez|readyz|metrics|media|measurement|downloads|openapi\.json|reference|pages|favicon\.ico|login|logout|settings|ads|console|developer|notifications|ads-manager|2\/problems|oauth\/(authorize|authenticate))([/?]|$)/;

interface Route {
  readonly operation: Operation;
  readonly template: string;
  readonly shape: RegExp;
}

const routes: readonly Route[] = operations.flatMap((operation) =>
  [operation.path, ...(operation.aliases ?? [])].map((path) => ({
    operation,
    template: operation.path.replace(/:(\w+)/g, '{$1}'),
    shape: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+')}/?$`),
  })),
);

const slashesIn = (path: string): number => path.split('/').length;

/** Routes by the number of slashes in their paths: most paths of a test fit one in a hundred. */
const routesBySlashes = Map.groupBy(routes, ({ template }) => slashesIn(template));

function routesOf(path: string): Route[] {
  const slashes = slashesIn(path.replace(/(?<=.)\/$/, ''));
  return (routesBySlashes.get(slashes) ?? []).filter((route) => route.shape.test(path));
}

/**
 * Holds a reply against the description: a declared status, the declared headers, the declared body. What no operation
 * answers is held against the envelope of errors of its family. Throws when something does not fit; otherwise notes in
 * the ledger what was seen.
 */
export function checkReply(method: string, url: string, status: number, headers: Headers, text: string): void {
  const path = pathOf(url);
  if (OWN.test(path) || (path === '/' && (status === 200 || status === 303))) return;
  const said = `${method} ${path.slice(0, 200)} answered ${status}`;
  const key = `${method} ${path} ${status}\n${text}`;
  const isSeen = fitting.has(key);
  const route = isSeen ? fitting.get(key) : checkContent({ method, path, status, text, said });
  if (!isSeen) remember(key, route);
  if (route) checkHeaders(route, route.operation.method, status, headers, said);
  else if (method === 'OPTIONS' && status === 204 && !headers.get('allow')) throw new Error(`${said}, ${ALLOWED}`);
}

/** Methods that are answered with 405 where another is allowed. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']);
const ALLOWED = 'where OPTIONS says what is allowed';

/**
 * Replies that fitted lately, with the routes whose headers they need: most are looked at where they are written and where
 * they are read, and what is the same needs no second look.
 */
const fitting = new Map<string, Route | undefined>();
const FITTING_MAX = 16;

function remember(key: string, route: Route | undefined): void {
  fitting.set(key, route);
  if (fitting.size > FITTING_MAX) fitting.delete(fitting.keys().next().value!);
}

/** A reply without its headers. */
interface Content {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly text: string;
  readonly said: string;
}

/** Holds all but the headers of a reply against the description; the answer is the route that says which headers it has. */
function checkContent({ method, path, status, text, said }: Content): Route | undefined {
  const verb = method === 'HEAD' ? 'GET' : method;
  const known = isDecodable(path) ? mostLiteral(routesOf(path)) : [];
  const route = known.find(({ operation }) => operation.method === verb || (verb === 'GET' && operation.allowsGet));
  if (isUnread(path, status, text)) {
    const seen = { family: familyOf(path), status, body: JSON.parse(text) };
    recordSeen(seen);
    // An operation may say the same of what was read.
    const operation = route && responseOf(route, route.operation.method, status) ? route.operation : undefined;
    if (operation) recordSeen({ ...seen, operation, family: operation.family });
    return undefined;
  }
  if (verb === 'OPTIONS' && known.length > 0) {
    if (status !== 204) throw new Error(`${said}, ${ALLOWED}`);
    return undefined;
  }
  if (route?.operation.shape === 'stream' && status === 200) {
    checkLines(route, text, said);
    return route;
  }
  // A body is not sent in answer to HEAD, so there is no more to say of it.
  const isPairs = route?.operation.shape === 'form' && status === 200;
  const body =
    (method === 'HEAD' && text === '') || status === 204
      ? undefined
      : isPairs
        ? pairsOf(text, said)
        : parse(text, said);
  // What could not be read may have any path, and a reply to HEAD does not say that it was so.
  const isNoRequest = UNREAD.some((name) => wordingIn('ads', name)[0] === status);
  if (body === undefined && isNoRequest && !(route && responseOf(route, route.operation.method, status)))
    return undefined;
  if (!route) {
    const isCurrent = METHODS.has(method) && known.some(({ operation }) => operation.replacedBy === undefined);
    checkUnrouted(isCurrent ? 405 : 404, { path, status, body, said });
    recordSeen({ family: familyOf(path), status, body });
    return undefined;
  }
  const { operation } = route;
  const pointer = responsePointer(route, operation.method, status);
  if (pointer === undefined) throw new Error(`${said}, a status that ${operation.id} does not declare:\n${text}`);
  if (status === 204 && text !== '') throw new Error(`${said} with a body`);
  if (status === 204) recordSeen({ operation, family: operation.family, status, body });
  if (body === undefined) return route;
  const isProblem = status >= 300 && operation.family === 'problem';
  const media = isPairs ? 'text~1html' : isProblem ? 'application~1problem+json' : 'application~1json';
  complain(compiled(`${pointer}/content/${media}/schema`), body, said);
  recordSeen({ operation, family: operation.family, status, body });
  return route;
}

/** Of a reply that goes on, each line that is not empty is held against the description. */
function checkLines(route: Route, text: string, said: string): void {
  const { operation } = route;
  const pointer = responsePointer(route, operation.method, 200);
  for (const line of text.split('\r\n').filter((each) => each !== '')) {
    complain(compiled(`${pointer}/content/application~1json/schema`), parse(line, said), said);
  }
  recordSeen({ operation, family: operation.family, status: 200, body: undefined });
}

/** Whether a request is for a page of the service itself. */
export function isOwnPage(target: string): boolean {
  return OWN.test(pathOf(target)) || pathOf(target) === '/';
}

/** The path of an address or of a request target, as it was sent. */
function pathOf(url: string): string {
  return url.replace(/^[a-z]+:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0]!;
}

/** Where several templates fit, literal segments win. */
function mostLiteral<T extends { readonly template: string }>(fitting: readonly T[]): T[] {
  const names = ({ template }: T): number => template.split('{').length;
  const fewest = Math.min(...fitting.map(names));
  return fitting.filter((each) => names(each) === fewest);
}

/** A path with a broken escape is the path of nothing. */
function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function parse(text: string, said: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${said} with a body that is not JSON:\n${text}`);
  }
}

/** What pairs say, by name: each name once, nothing around them. */
function pairsOf(text: string, said: string): Record<string, string> {
  const pairs = Object.fromEntries(new URLSearchParams(text));
  const again = new URLSearchParams(pairs).toString();
  if (again !== text) throw new Error(`${said} with a body that is not one set of pairs:\n${text}`);
  return pairs;
}

function responseOf(route: Route, verb: string, status: number): Json | undefined {
  const operation = openApi.paths[route.template]![verb.toLowerCase()] as { responses: Record<string, Json> };
  return operation.responses[String(status)];
}

/** Where the response of a status stands in the document, as a JSON pointer; shared ones stand elsewhere. */
function responsePointer(route: Route, verb: string, status: number): string | undefined {
  const response = responseOf(route, verb, status);
  if (!response) return undefined;
  if (typeof response.$ref === 'string') return response.$ref.slice(1);
  const template = route.template.replaceAll('~', '~0').replaceAll('/', '~1');
  return `/paths/${template}/${verb.toLowerCase()}/responses/${status}`;
}

function at(pointer: string): Json {
  const names = pointer.slice(1).split('/');
  return names.reduce<Json>((value, name) => value[name.replaceAll('~1', '/').replaceAll('~0', '~')] as Json, openApi);
}

function checkHeaders(route: Route, verb: string, status: number, headers: Headers, said: string): void {
  const type = headers.get('content-type') ?? '';
  const isPairs = route.operation.shape === 'form' && status === 200;
  const isProblem = route.operation.family === 'problem' && status >= 300;
  const wanted = isPairs
    ? /^text\/html;charset=utf-8$/
    : isProblem
      ? /^application\/problem\+json; charset=utf-8$/
      : /^application\/json; ?charset=utf-8$/;
  if (status === 204 ? type !== '' : !wanted.test(type)) throw new Error(`${said} with content type ${type}`);
  for (const { name, isRequired, isInteger, pointer } of headersOf(route, verb, status)) {
    const value = headers.get(name);
    if (value === null) {
      if (isRequired || (status < 300 && name.includes('limit'))) throw new Error(`${said} without ${name}`);
      continue;
    }
    complain(compiled(pointer), isInteger ? Number(value) : value, `${said} with ${name}: ${value}`);
  }
}

/** A header as the description declares it, and where its schema stands. */
interface DeclaredHeader {
  readonly name: string;
  readonly isRequired: boolean;
  readonly isInteger: boolean;
  readonly pointer: string;
}

const declaredHeaders = new Map<string, readonly DeclaredHeader[]>();

function headersOf(route: Route, verb: string, status: number): readonly DeclaredHeader[] {
  const key = `${verb} ${route.template} ${status}`;
  const known = declaredHeaders.get(key);
  if (known) return known;
  const response = responseOf(route, verb, status)!;
  const { headers } = (typeof response.$ref === 'string' ? at(response.$ref.slice(1)) : response) as {
    headers: Record<string, { $ref: string }>;
  };
  const declared = Object.entries(headers).map(([name, { $ref }]) => {
    const { required, schema } = at($ref.slice(1)) as { required?: boolean; schema: Json };
    const pointer = `${$ref.slice(1)}/schema`;
    return { name, isRequired: required ?? false, isInteger: schema.type === 'integer', pointer };
  });
  declaredHeaders.set(key, declared);
  return declared;
}

/** Those that were compiled for the whole run; nothing is loaded before it is used. */
const keptValidators = process.env.TEST_VALIDATORS;
let loaded: Readonly<Record<string, ValidateFunction>> | undefined;
const validators = new Map<string, ValidateFunction>();

function compiled(pointer: string): ValidateFunction {
  let validator = validators.get(pointer);
  if (!validator) {
    if (keptValidators) loaded ??= createRequire(import.meta.url)(keptValidators) as typeof loaded;
    validator = loaded?.[pointer] ?? ajv.compile(schemaAt(pointer));
    validators.set(pointer, validator);
  }
  return validator;
}

function schemaAt(pointer: string): AnySchemaObject {
  return pointer.startsWith('/components/') ? { $ref: SHARED + pointer } : withShared(at(pointer));
}

/** Compiles the schemas of all bodies, once for each description: it takes seconds. Returns a file, for `TEST_VALIDATORS`. */
export function keepValidators(): string {
  const { version } = createRequire(import.meta.url)('ajv/package.json') as { readonly version: string };
  const made = hash('sha1', JSON.stringify([version, readFileSync(import.meta.filename, 'utf8'), openApi]));
  const file = join(CACHE, `validators-${made}.cjs`);
  if (existsSync(file)) return file;
  const keeping = compiler(true);
  const names = [...new Set(routes.flatMap(bodyPointers))].map((pointer, at) => [`body${at}`, pointer] as const);
  for (const [name, pointer] of names) keeping.addSchema(schemaAt(pointer), name);
  const code = standalone.default(keeping, Object.fromEntries(names.map(([name]) => [name, name])));
  const renamed = names.map(([name, pointer]) => `${JSON.stringify(pointer)}: exports.${name}`);
  // Another run may look for it meanwhile.
  writeFileSync(`${file}.${process.pid}`, `${code}\nmodule.exports = {${renamed}};\n`);
  renameSync(`${file}.${process.pid}`, file);
  return file;
}

/** Where the schemas of the bodies of an operation's responses stand. */
function bodyPointers(route: Route): string[] {
  const verb = route.operation.method.toLowerCase();
  const { responses } = openApi.paths[route.template]![verb] as { responses: Record<string, Json> };
  return Object.keys(responses).flatMap((status) => {
    const pointer = responsePointer(route, verb, Number(status))!;
    const content = (at(pointer).content ?? {}) as Json;
    return Object.keys(content).map((media) => `${pointer}/content/${media.replaceAll('/', '~1')}/schema`);
  });
}

const SHARED = 'openapi#';

/** A schema that stands alone: what it shares with others is pointed to from outside. */
function withShared(schema: Json): AnySchemaObject {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${SHARED}/`));
}

function complain(validate: ValidateFunction, value: unknown, said: string): void {
  if (validate(value)) return;
  const reasons = validate.errors!.map((error) => {
    const extra = Object.values(error.params).join(', ');
    return `  ${error.instancePath || '(body)'} ${error.message} (${extra}) by ${error.schemaPath}`;
  });
  throw new Error(
    `${said} with what the description does not allow:\n${reasons.join('\n')}\n${JSON.stringify(value, null, 2)}`,
  );
}

const unrouted = envelopesOf(UNROUTED);
const unread = envelopesOf(UNREAD);

/** The envelope of some problems in each family, compiled when it is first asked for. */
function envelopesOf(names: readonly ProblemName[]): (family: Family) => ValidateFunction {
  const known = new Map<Family, ValidateFunction>();
  return (family) => {
    const validator = known.get(family) ?? ajv.compile(envelopeOf(family, names));
    known.set(family, validator);
    return validator;
  };
}

function envelopeOf(family: Family, names: readonly ProblemName[]): AnySchemaObject {
  const schemas: NamedSchemas = {};
  const params = {
    type: 'object',
    required: ['params'],
    properties: { params: { type: 'object', maxProperties: 0 } },
  };
  // Of a batch whose body did not arrive there is no item to echo.
  const request = { anyOf: [params, { type: 'array', maxItems: 0 }] };
  return { ...errorEnvelope(family, names, () => request, schemas), components: { schemas } };
}

/** Whether a reply says that there was no request to answer, on whatever path. */
function isUnread(path: string, status: number, text: string): boolean {
  if (!UNREAD.some((name) => wordingIn('ads', name)[0] === status)) return false;
  try {
    return unread(familyOf(path))(JSON.parse(text));
  } catch {
    return false;
  }
}

function checkUnrouted(wanted: number, seen: { path: string; status: number; body: unknown; said: string }): void {
  if (seen.status !== wanted) throw new Error(`${seen.said}, where no operation is: expected ${wanted}`);
  if (seen.body !== undefined) complain(unrouted(familyOf(seen.path)), seen.body, seen.said);
}
