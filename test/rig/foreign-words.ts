import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { operations } from '../../src/app/dependencies.ts';
import type { Operation } from '../../src/contract/declare/operation.ts';
import { isProtocolName, type OwnWords, ownWordsOf } from '../../src/http/vocabulary/own-words.ts';

/**
 * With an alias file, every word of the service has a foreign one: its own between two marks, by which it is known
 * wherever it stands.
 */
const [BEFORE, AFTER] = ['q0_', '_0q'];
const foreign = (own: string): string => BEFORE + own + AFTER;
const MARKED = new RegExp(`${BEFORE}(.*?)${AFTER}`, 'g');
/** What an alias file may have as a value. */
const VALUE = /^[\w.:-]+$/;

/** The file that worlds are started with, if they speak foreign words. */
export const aliasFile = process.env.TEST_ALIASES || undefined;

/** The foreign word of an own one; words are looked up in plain objects, which have members that nobody has given them. */
const wordIn = (of: Words | undefined, own: string): string | undefined =>
  of && Object.hasOwn(of, own) ? of[own] : undefined;

/** The words of the file, as it has them. */
type Words = Readonly<Record<string, string>>;
type Values = Readonly<Record<string, Words>>;
interface Contents {
  readonly path_segments: Words;
  readonly parameters: Words;
  readonly members: Words;
  readonly values: Values;
  readonly header_prefixes: Words;
  readonly operations: Readonly<Record<string, { readonly values: Values }>>;
}

/**
 * An alias file that renames every path segment, parameter, member, value and header. Values of names that are any text
 * in other operations are those of single operations.
 */
function wholeVocabulary(): Contents {
  const own = ownWordsOf(operations);
  const words = (all: Iterable<string>): Words =>
    Object.fromEntries([...all].filter((word) => !isProtocolName(word)).map((word) => [word, foreign(word)]));
  const values = (of: OwnWords, isWanted: (name: string) => boolean): Values => {
    const all = [...of.values].filter(([name]) => isWanted(name));
    const each = all.map(([name, known]) => [name, words([...known].filter((value) => VALUE.test(value)))] as const);
    return Object.fromEntries(each.filter(([, known]) => Object.keys(known).length > 0));
  };
  const single = operations
    .map((operation) => [operation.id, values(wordsOf(operation), (name) => own.freeNames.has(name))] as const)
    .filter(([, of]) => Object.keys(of).length > 0);
  return {
    path_segments: words(own.pathSegments),
    parameters: words(own.parameters),
    members: words(own.members),
    values: values(own, (name) => !own.freeNames.has(name)),
    header_prefixes: { 'x-': 'x-q0-' },
    operations: Object.fromEntries(single.map(([id, of]) => [id, { values: of }])),
  };
}

const known = new Map<Operation, OwnWords>();

/** The own words of a single operation. */
function wordsOf(operation: Operation): OwnWords {
  const of = known.get(operation) ?? ownWordsOf([operation]);
  known.set(operation, of);
  return of;
}

/** Writes that file into a folder, for the processes that are started from now on. */
export function keepAliasFile(folder: string): string {
  const file = join(folder, 'aliases.json');
  writeFileSync(file, JSON.stringify(wholeVocabulary()));
  return file;
}

const words: Contents | undefined = aliasFile === undefined ? undefined : JSON.parse(readFileSync(aliasFile, 'utf8'));
const freeNames = words && ownWordsOf(operations).freeNames;

const templates = operations
  .flatMap((operation) => [operation.path, ...(operation.aliases ?? [])].map((path) => ({ operation, path })))
  .map(({ operation, path }) => ({ operation, segments: path.split('/'), literals: path.replace(/:\w+/g, '').length }))
  .sort((one, other) => other.literals - one.literals);

function templatesOf(path: string): typeof templates {
  const segments = path.replace(/(?<=.)\/$/, '').split('/');
  return templates.filter(
    ({ segments: each }) =>
      each.length === segments.length && each.every((name, at) => name.startsWith(':') || name === segments[at]),
  );
}

/** Puts foreign words into what a client sends. */
export interface Foreign {
  /** A request target: its path, if an operation has it, and its query. */
  target(target: string): string;
  /** The pairs of a query or a form; each keeps its spelling if nothing of it is renamed. */
  pairs(pairs: string): string;
  /** The name of a parameter. */
  parameter(own: string): string;
  /** A value of a parameter: a single one or a list, each of them. */
  value(name: string, value: string): string;
  /** A JSON body; any other text stays as it is. */
  text(json: string): string;
  json(value: unknown): unknown;
  parts(parts: FormData): FormData;
}

const NOTHING: Foreign = {
  target: (same) => same,
  pairs: (same) => same,
  parameter: (same) => same,
  value: (_, same) => same,
  text: (same) => same,
  json: (same) => same,
  parts: (same) => same,
};

/** The ports of services that have no alias file, though others of this process have one. */
const ownPorts = new Set<string>();

/** These services have no alias file. */
export function speakOwnWords(origins: readonly string[]): void {
  for (const origin of origins) ownPorts.add(new URL(origin).port);
}

/** Whether the service at an origin has an alias file. */
export function isForeign(origin: string): boolean {
  return words !== undefined && !ownPorts.has(new URL(origin).port);
}

/** The foreign words of a call. */
export function foreignOf(origin: string, method: string, target: string): Foreign {
  // What is there for developers and operators alone has no other words.
  if (!words || !isForeign(origin) || /^\/(internal|_dev)\//.test(target)) return NOTHING;
  const found = templatesOf(target.split('?', 1)[0]!);
  const verb = method === 'HEAD' ? 'GET' : method;
  const template =
    found.find(({ operation }) => operation.method === verb || (verb === 'GET' && operation.allowsGet)) ?? found[0];
  return wordsOfCall(words, template);
}

function wordsOfCall(words: Contents, template: (typeof templates)[number] | undefined): Foreign {
  const own = template && wordsOf(template.operation);
  const single = words.operations[template?.operation.id ?? '']?.values;
  const valuesOf = (name: string): Words | undefined =>
    own?.freeNames.has(name)
      ? undefined
      : ((single && Object.hasOwn(single, name) ? single[name] : undefined) ??
        (Object.hasOwn(words.values, name) ? words.values[name] : undefined));
  const parameter = (name: string): string => wordIn(words.parameters, name) ?? name;
  const value: Foreign['value'] = (name, text) => {
    if (/^\s*[[{]/.test(text)) return foreignText(text);
    const one = (item: string): string => {
      const trimmed = item.trim();
      const [, key = trimmed, end = ''] = /^(.*?)(-asc|-desc)?$/.exec(trimmed) ?? [];
      const found =
        name === 'sort_by'
          ? (wordIn(words.members, key) ?? key) + end
          : name === 'resources'
            ? (wordIn(words.path_segments, trimmed) ?? trimmed)
            : (wordIn(valuesOf(name), trimmed) ?? trimmed);
      return item.replace(trimmed, () => found);
    };
    return wordIn(valuesOf(name), text) ?? text.split(',').map(one).join(',');
  };
  const json = (of: unknown, name = ''): unknown => {
    if (typeof of === 'string') return value(name, of);
    if (Array.isArray(of)) return of.map((item) => json(item, name));
    if (typeof of !== 'object' || of === null || isRawJSON(of)) return of;
    return Object.fromEntries(Object.entries(of).map(([member, each]) => [parameter(member), json(each, member)]));
  };
  const foreignText = (text: string): string => {
    try {
      return JSON.stringify(json(JSON.parse(text, asSpelled as (name: string, value: unknown) => unknown)));
    } catch {
      return text;
    }
  };
  const pairs: Foreign['pairs'] = (text) => text.split('&').map(pair).join('&');
  const pair = (text: string): string => {
    const equals = text.indexOf('=');
    if (equals < 0) return text;
    const name = text.slice(0, equals);
    const of = decoded(text.slice(equals + 1));
    const renamed = of === undefined ? undefined : value(name, of);
    return `${parameter(name)}=${renamed === of ? text.slice(equals + 1) : encodeURIComponent(renamed!)}`;
  };
  return {
    ...{ parameter, value, pairs, text: foreignText, json },
    target(target) {
      const { 0: path = '', 1: query } = target.split(/\?(.*)/s);
      const renamed = path.split('/').map((segment, at) => {
        const name = template?.segments[at] ?? ':';
        return name.startsWith(':') ? value(name.slice(1), segment) : (wordIn(words.path_segments, segment) ?? segment);
      });
      return renamed.join('/') + (query === undefined ? '' : `?${pairs(query)}`);
    },
    parts(parts) {
      const renamed = new FormData();
      for (const [name, of] of parts) {
        if (typeof of === 'string') renamed.append(parameter(name), value(name, of));
        else renamed.append(parameter(name), of, (of as File).name);
      }
      return renamed;
    },
  };
}

/** What the types of the compiler do not have yet. */
const { isRawJSON, rawJSON } = JSON as unknown as {
  isRawJSON(value: unknown): boolean;
  rawJSON(source: string): unknown;
};

/** A number that JavaScript would spell otherwise, such as 1e400, stays as it was sent. */
function asSpelled(_: string, value: unknown, { source }: { readonly source?: string }): unknown {
  return typeof value === 'number' && source !== undefined && String(value) !== source ? rawJSON(source) : value;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/** What came back, in own words. */
export function ownText(text: string): string {
  if (!words) return text;
  const found = text.includes(BEFORE) ? text.replace(MARKED, '$1') : text;
  return found.includes('x-q0-') ? found.replaceAll('x-q0-', 'x-') : found;
}

/** The names of headers as the service itself has them. */
export function ownHeaders(headers: Headers): Headers {
  if (!words) return headers;
  return new Headers(
    [...headers].map(([name, value]) => [name.replace(/^x-q0-/, 'x-'), ownText(value)] as [string, string]),
  );
}

/** Names that nobody has declared: ids, places, and what OAuth and JSON Schema name. */
const DYNAMIC = /^(q0_.*_0q|oauth_\w+|\d+|\/.*|media_data)$/;

/** Throws when a reply of an operation has a word that is not foreign. */
export function checkForeign(said: string, text: string): void {
  if (!words || !/^\s*[[{]/.test(text)) return;
  const found: string[] = [];
  const look = (value: unknown, name: string, isEcho: boolean): void => {
    if (typeof value === 'string') {
      const own = ownText(name);
      if (Object.hasOwn(words.values[own] ?? {}, value) && !freeNames!.has(own)) found.push(`${name}: ${value}`);
    } else if (Array.isArray(value)) for (const item of value) look(item, name, isEcho);
    else if (typeof value === 'object' && value !== null) {
      for (const [member, of] of Object.entries(value)) {
        // What a caller has made up is repeated as it was sent.
        if (isEcho && !DYNAMIC.test(member) && !Object.hasOwn(words.parameters, member)) continue;
        if (!DYNAMIC.test(member)) found.push(`${name}: {${member}}`);
        look(of, member, isEcho || member === 'q0_request_0q' || member === 'q0_parameters_0q');
      }
    }
  };
  for (const line of text.split('\r\n').filter((each) => each !== '')) look(JSON.parse(line), '', false);
  if (found.length > 0)
    throw new Error(`${said} with words that are not foreign: ${found.join('; ')}\n${text.slice(0, 2000)}`);
}

/** Worlds with an alias file answer in foreign words, whoever asks: what `fetch` returns has own words again. */
if (words) {
  const plain = globalThis.fetch;
  globalThis.fetch = async (...sent: Parameters<typeof fetch>) => {
    const response = await plain(...sent);
    if (!/json|text/.test(response.headers.get('content-type') ?? '') && response.headers.get('content-type') !== null)
      return response;
    const isEmpty = [101, 204, 205, 304].includes(response.status);
    const made = new Response(isEmpty ? null : ownText(await response.text()), {
      status: response.status,
      headers: ownHeaders(response.headers),
    });
    Object.defineProperty(made, 'url', { value: response.url });
    return made;
  };
}

/** The foreign name of what a webhook receives in a challenge, or answers. */
export function foreignName(own: string): string {
  return wordIn(words?.parameters, own) ?? wordIn(words?.members, own) ?? own;
}
