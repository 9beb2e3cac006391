import { InputErrors } from '../../base/input-error.ts';
import type { RawValue } from '../../contract/declare/fields.ts';
import type { Operation } from '../../contract/declare/operation.ts';
import type { Json, NamedSchemas } from '../../engine/describe/schemas.ts';
import { type AliasFile, fileOfPlace, incoming, placesOf, pointerTo } from './alias-file.ts';
import { type ErrorWords, errorWordsOf } from './error-words.ts';
import { checkWords, createNaming, type Naming } from './naming.ts';
import { type OwnSchemas, type OwnWords, ownSchemas, ownWordsOf } from './own-words.ts';
import { type Paths, type PositionContext, pathsOf, positionOf } from './positions.ts';
import { isJson, type Position, rewriteJson, rewriteText, rewriteValue } from './rewrite-json.ts';

/** Translates between the names of a client and those of this service, at its edge. @source decision 886, 891, 892 */
interface ClientWords {
  readonly paths: Paths;
  /** The translation of an operation. */
  of(operation: Operation): OperationWords;
  /** The translation of errors without an operation. */
  readonly unrouted: ErrorWords & Pick<OperationWords, 'replyOut'>;
  /** Renames headers, in a flat list of names and values. */
  headers(headers: readonly string[]): string[];
  header(own: string): string;
  /** Translates an event for streams and webhooks. */
  event(json: string): string;
  readonly naming: Naming;
}

/** The vocabulary of an alias file; its own words are those of the first client. */
export interface Vocabulary extends ClientWords {
  readonly hosts: AliasFile['hosts'];
  /** All clients that share the server. */
  readonly clients: readonly ClientWords[];
  /**
   * Returns the words of the client that sent a request: told by the path, else by the names of its parameters; those of the
   * first client if neither tells.
   * @source decision 1243
   */
  clientOf(target: string, parameters?: Iterable<string>): ClientWords;
  /** The native names of parameters and members that have this foreign name in any operation. */
  ownNames(foreign: string): readonly string[];
}

/** Translates the calls of an operation. */
export interface OperationWords extends ErrorWords {
  /** Translates the values of path parameters to native ones. */
  pathIn(params: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  /** Translates parameters to native ones. A native name and its foreign one are the same parameter, sent twice. */
  parametersIn(raw: ReadonlyMap<string, readonly RawValue[]>): Map<string, readonly RawValue[]>;
  /** The native name of a part of a multipart body. */
  nameIn(name: string): string;
  /** Translates a parsed JSON body to native names. */
  bodyIn(body: unknown): unknown;
  /** Translates the bytes of a JSON body to native names; other bytes are returned as they are. */
  bytesIn(bytes: Uint8Array): Uint8Array;
  /** Translates a reply, JSON or pairs, to foreign names. */
  replyOut(text: string): string;
  /** Renames headers, in a flat list of names and values. */
  headers(headers: readonly string[]): string[];
  /** The foreign name of a header, and of a member of replies. */
  header(own: string): string;
  member(own: string): string;
}

/** Builds the vocabulary of an alias file for these operations. @throws InputErrors */
export function createVocabulary(file: AliasFile, operations: readonly Operation[]): Vocabulary {
  const own = ownWordsOf(operations);
  checkWords(file, own);
  const lists = [file, ...file.operations.values()];
  const names = lists.flatMap(({ parameters, members }) => [parameters, members]);
  const all = [file.pathSegments, ...names, ...lists.flatMap(({ values }) => [...values.values()])];
  const count = Math.max(1, ...all.flatMap((words) => [...words.values()].map(({ length }) => length)));
  const clients = Array.from({ length: count }, (_, at) => createClientWords(fileOfPlace(file, at), operations, own));
  checkPaths(
    operations,
    clients.map(({ paths }) => paths),
  );
  const byForeign = Map.groupBy(
    names.flatMap((words) => [...incoming(words)]),
    ([foreign]) => foreign,
  );
  const ofSegments = placesOf([file.pathSegments]);
  const ofParameters = placesOf(lists.map(({ parameters }) => parameters));
  return {
    ...clients[0]!,
    ...{ hosts: file.hosts, clients },
    clientOf(target, parameters = []) {
      const [path] = target.split('?', 1) as [string];
      const place = (of: ReadonlyMap<string, number>, words: Iterable<string>) =>
        [...words].map((word) => of.get(word)).find((at) => at !== undefined);
      return clients[place(ofSegments, path.split('/')) ?? place(ofParameters, parameters) ?? 0]!;
    },
    ownNames: (foreign) => byForeign.get(foreign)?.map(([, name]) => name) ?? [],
  };
}

function createClientWords(file: AliasFile, operations: readonly Operation[], own: OwnWords): ClientWords {
  const { calls, named, unrouted: schemas } = ownSchemas();
  const naming = createNaming(file, '');
  const paths = pathsOf(file.pathSegments, naming.parameter);
  const prefixes = [...file.headerPrefixes].sort(([one], [other]) => other.length - one.length);
  const header = (name: string): string => {
    if (COMMON_HEADERS.has(name)) return name;
    const [prefix, foreign] = prefixes.find(([each]) => name.startsWith(each)) ?? ['', ''];
    return foreign + name.slice(prefix.length);
  };
  const everywhere = { named, own, naming, paths, direction: 'out' } as const;
  const emptyEcho = positionOf([{ type: 'object', properties: { params: {} } }], {
    ...everywhere,
    names: 'parameters',
  });
  const unrouted = positionOf(schemas, { ...everywhere, names: 'members', echo: emptyEcho });
  const known = new Map<Operation, OperationWords>();
  const headers = (pairs: readonly string[]): string[] =>
    pairs.map((text, at) => (at % 2 === 0 ? header(text) : headerValue(pairs[at - 1]!, text, { paths, naming })));
  const source = { ...{ file, named, own, paths, header, headers }, calls, unrouted: schemas };
  const of = (operation: Operation): OperationWords => {
    const words = known.get(operation) ?? operationWords(operation, source);
    known.set(operation, words);
    return words;
  };
  const stream = operations.find(({ shape }) => shape === 'stream');
  return {
    ...{ paths, naming, header, headers, of },
    unrouted: {
      ...errorWordsOf(naming, header, (_, value) => value),
      replyOut: (json) => rewriteJson(json, unrouted),
    },
    event: (json) => (stream ? of(stream).replyOut(json) : json),
  };
}

/** Headers that mean the same everywhere: browsers, proxies and callers define them. */
const COMMON_HEADERS: ReadonlySet<string> = new Set(['x-content-type-options', 'x-accel-buffering', 'x-request-id']);

/** Values of headers that name parameters or paths, and the version, which is a segment of them. */
function headerValue(name: string, text: string, { paths, naming }: Pick<ClientWords, 'paths' | 'naming'>): string {
  if (name === 'x-ignored-parameters') return text.split(', ').map(naming.parameter).join(', ');
  if (name === 'x-current-api-version') return paths.foreignSegment(text);
  if (name === 'link') return text.replace(/^<([^>]*)>/, (_, url: string) => `<${inUrl(url, paths)}>`);
  return name === 'x-api-warn' ? text.replace(/\/[\w.:/-]+/, (path) => paths.foreign(path)) : text;
}

function inUrl(url: string, paths: Paths): string {
  const [, origin = '', path = ''] = /^([a-z]+:\/\/[^/]*)?(.*)$/.exec(url)!;
  return origin + paths.foreign(path);
}

/** Two operations must not get the same path. */
function checkPaths(operations: readonly Operation[], clients: readonly Paths[]): void {
  const all = operations.map(({ path, aliases = [] }) => [path, ...aliases]);
  const problems = new Set(clients.flatMap((paths) => [...clashesOf(all, paths)]));
  if (problems.size > 0) throw new InputErrors([...problems]);
}

/** @param all the paths of each operation. */
function clashesOf(all: readonly (readonly string[])[], paths: Paths): ReadonlySet<string> {
  const owners = new Map(all.flat().map((path) => [shapeOf(path), path]));
  const problems = new Set<string>();
  for (const path of new Set(all.flat())) {
    const foreign = shapeOf(paths.foreign(path));
    const other = owners.get(foreign);
    const isAnother = other !== undefined && !all.some((own) => own.includes(other) && own.includes(path));
    if (isAnother && shapeOf(other) !== shapeOf(path)) {
      const segment = path.split('/').find((each) => paths.foreignSegment(each) !== each && !each.startsWith(':'))!;
      problems.add(`/path_segments${pointerTo(segment)}: ${path} would have the path of ${other}`);
    } else owners.set(foreign, path);
  }
  return problems;
}

function shapeOf(path: string): string {
  return path.replace(/:\w+/g, ':');
}

/** What the words of operations are made of. */
interface Source {
  readonly file: AliasFile;
  readonly named: NamedSchemas;
  readonly own: OwnWords;
  readonly paths: Paths;
  readonly header: (own: string) => string;
  readonly headers: (pairs: readonly string[]) => string[];
  readonly calls: OwnSchemas['calls'];
  readonly unrouted: readonly Json[];
}

function operationWords(operation: Operation, source: Source): OperationWords {
  const { file, calls, named, own, paths, header, headers } = source;
  const naming = createNaming(file, operation.id);
  const { parameters, body, replies } = calls[operation.id]!;
  const inputs = { type: 'object', properties: parameters };
  const context = (direction: 'in' | 'out', names: 'parameters' | 'members', echo?: Position): PositionContext => ({
    ...{ named, own, naming, paths, direction, names, echo },
  });
  const ofParameters = positionOf([inputs], context('in', 'parameters'));
  const ofBody = positionOf([body ?? inputs], context('in', 'parameters'));
  // The echo of a batch is a list of its items, with the parameters of the path.
  const items = { type: 'array', items: { type: 'object', properties: { params: inputs } } };
  const echoes = [{ type: 'object', properties: { params: inputs } }, ...(body ? [body, items] : [])];
  const ofEcho = positionOf(echoes, context('out', 'parameters'));
  const ofReply = positionOf([...replies, ...source.unrouted], context('out', 'members', ofEcho));
  const received = positionOf([inputs, ...(body ? [body] : [])], context('out', 'parameters'));
  const nameIn = (name: string): string => ofParameters?.members.get(name)?.name ?? name;
  return {
    ...errorWordsOf(naming, header, (parameter, value) => receivedText(received, naming, parameter, value)),
    ...{ nameIn, header, headers, member: naming.member },
    pathIn(params) {
      const entries = Object.entries(params).map(([name, value]) => [
        name,
        rewriteText(value, ofParameters?.members.get(naming.parameter(name))?.position),
      ]);
      return Object.fromEntries(entries);
    },
    parametersIn(raw) {
      const found = new Map<string, readonly RawValue[]>();
      for (const [name, values] of raw) {
        const member = ofParameters?.members.get(name);
        const own = member?.name ?? naming.ownParameter(name);
        const read = values.map((value) => rewriteValue(value, member?.position) as RawValue);
        found.set(own, [...(found.get(own) ?? []), ...read]);
      }
      return found;
    },
    bodyIn: (value) => rewriteValue(value, ofBody),
    bytesIn(bytes) {
      // Words are ASCII: every byte of a text beside them stays as it is.
      const text = Buffer.from(bytes).toString('latin1');
      if (!isJson(text)) return bytes;
      return new Uint8Array(Buffer.from(rewriteJson(text, ofBody), 'latin1'));
    },
    replyOut: (text) => (/^\s*[[{]/.test(text) ? rewriteJson(text, ofReply) : rewritePairs(text, ofReply)),
  };
}

/** A value in an error, as its sender wrote it. */
function receivedText(received: Position | undefined, naming: Naming, path: string, value: string): string {
  const name =
    path.split(/[.[]/).at(-1) === ''
      ? path
      : path
          .replace(/\[\d+\]/g, '')
          .split('.')
          .at(-1)!;
  const values = naming.values(path) ?? naming.values(name);
  const renamed = values?.get(value)?.[0];
  if (renamed !== undefined) return renamed;
  const position = received?.members.get(path)?.position;
  return position ? rewriteText(value, position) : value;
}

function rewritePairs(text: string, position: Position | undefined): string {
  return text
    .split('&')
    .map((pair) => {
      const [name = '', value] = pair.split('=', 2);
      const member = position?.members.get(name);
      return value === undefined || !member ? pair : `${member.name}=${member.position?.text?.(value) ?? value}`;
    })
    .join('&');
}
