import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments, stringify } from 'yaml';

// The part of Helm that the chart uses, where no Helm is installed: https://helm.sh/docs/chart_template_guide/.

type Values = Readonly<Record<string, unknown>>;

/** A piece of a template. */
type Piece =
  | { readonly text: string }
  | { readonly show: string }
  | { readonly set: string; readonly to: string }
  | {
      readonly block: 'if' | 'with' | 'range';
      readonly of: string;
      readonly body: Piece[];
      readonly otherwise: Piece[];
    };

/** What a piece is rendered with. */
interface Scope {
  readonly dot: unknown;
  readonly variables: ReadonlyMap<string, unknown>;
}

/** Renders a chart as `helm template RELEASE FOLDER --values VALUES` does. @throws Error as Helm refuses values */
// biome-ignore lint/suspicious/noExplicitAny: objects of many kinds
export function renderChart(folder: string, release: string, given: Values): any[] {
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const values = merged(parse(read('values.yaml')), given);
  const ajv = new Ajv({ strict: false, allErrors: true });
  if (!ajv.validate(JSON.parse(read('values.schema.json')), values)) throw new Error(ajv.errorsText());
  const { name, version, appVersion } = parse(read('Chart.yaml'));
  const root = {
    Values: values,
    Chart: { Name: name, Version: version, AppVersion: appVersion },
    Release: { Name: release, Namespace: 'default', Revision: 1, Service: 'Helm' },
  };
  const templates = new Map<string, Piece[]>();
  const files = globSync('templates/*', { cwd: folder }).sort();
  const pieces = files.map((file) => [basename(file), piecesOf(read(file), templates)] as const);
  const texts = pieces.map(
    ([file, all]) => [file, render(all, { dot: root, variables: new Map() }, templates)] as const,
  );
  return texts
    .filter(([file]) => file.endsWith('.yaml'))
    .flatMap(([, text]) => parseAllDocuments(text))
    .map((document) => {
      if (document.errors.length > 0) throw document.errors[0];
      return document.toJS();
    })
    .filter((object) => object !== null);
}

function merged(own: unknown, given: unknown): unknown {
  if (given === undefined) return own;
  if (!isMap(own) || !isMap(given)) return given;
  const names = new Set([...Object.keys(own), ...Object.keys(given)]);
  return Object.fromEntries([...names].map((name) => [name, merged(own[name], given[name])]));
}

const isMap = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads a template; its definitions are added to the others. */
function piecesOf(text: string, templates: Map<string, Piece[]>): Piece[] {
  const trimmed = text.replace(/\s*\{\{-/g, '{{').replace(/-\}\}\s*/g, '}}');
  const parts = trimmed.split(/\{\{([\s\S]*?)\}\}/);
  const open: Piece[][] = [[]];
  const last = (): Piece[] => open.at(-1)!;
  parts.forEach((part, at) => {
    if (at % 2 === 0) {
      last().push({ text: part });
      return;
    }
    const action = part.trim();
    const [word = '', ...rest] = action.split(/\s+/);
    const of = rest.join(' ');
    if (action.startsWith('/*')) return;
    if (word === 'end') open.pop();
    else if (word === 'else') {
      open.pop();
      const block = last().at(-1)!;
      if (!('block' in block) || of !== '') throw new Error(`{{ ${action} }} is not understood`);
      open.push(block.otherwise);
    } else if (word === 'define') {
      const defined: Piece[] = [];
      templates.set(JSON.parse(of), defined);
      open.push(defined);
    } else if (word === 'if' || word === 'with' || word === 'range') {
      const block: Piece = { block: word, of, body: [], otherwise: [] };
      last().push(block);
      open.push(block.body);
    } else {
      const [, set, to] = /^(\$\w+) := (.*)$/s.exec(action) ?? [];
      last().push(set === undefined ? { show: action } : { set, to: to! });
    }
  });
  if (open.length !== 1) throw new Error('a block has no end');
  return open[0]!;
}

function render(pieces: readonly Piece[], scope: Scope, templates: ReadonlyMap<string, Piece[]>): string {
  const variables = new Map(scope.variables);
  const here: Scope = { dot: scope.dot, variables };
  const value = (text: string): unknown => evaluate(text, here, templates);
  let out = '';
  for (const piece of pieces) {
    if ('text' in piece) out += piece.text;
    else if ('show' in piece) out += shown(value(piece.show));
    else if ('set' in piece) variables.set(piece.set, value(piece.to));
    else if (piece.block === 'range') {
      const [, key, each, of] = /^(\$\w+), (\$\w+) := (.*)$/.exec(piece.of)!;
      // Keys are in their order in the alphabet.
      for (const [name, item] of Object.entries(value(of!) as Values).sort(([a], [b]) => (a < b ? -1 : 1))) {
        const inside = new Map([...variables, [key!, name], [each!, item]]);
        out += render(piece.body, { dot: item, variables: inside }, templates);
      }
    } else {
      const found = value(piece.of);
      const dot = piece.block === 'with' && isTrue(found) ? found : scope.dot;
      out += render(isTrue(found) ? piece.body : piece.otherwise, { dot, variables }, templates);
    }
  }
  return out;
}

function isTrue(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : isMap(value) ? Object.keys(value).length > 0 : Boolean(value);
}

const shown = (value: unknown): string => (value === undefined || value === null ? '' : String(value));
const indented = (text: string, spaces: number): string => text.replace(/^/gm, ' '.repeat(spaces));
const textOf = (value: unknown): string => (value as string).trimEnd();

/** The functions of the chart; what is piped into one is its last argument. */
const FUNCTIONS: Readonly<Record<string, (...all: never[]) => unknown>> = {
  quote: (value: unknown) => JSON.stringify(shown(value)),
  default: (other: unknown, value: unknown) => (isTrue(value) ? value : other),
  eq: (one: unknown, other: unknown) => isDeepStrictEqual(one, other),
  not: (value: unknown) => !isTrue(value),
  upper: (value: string) => value.toUpperCase(),
  trunc: (length: number, value: string) => value.slice(0, length),
  trimPrefix: (start: string, value: string) => (value.startsWith(start) ? value.slice(start.length) : value),
  trimSuffix: (end: string, value: string) => (value.endsWith(end) ? value.slice(0, -end.length) : value),
  toYaml: (value: unknown) => textOf(stringify(value)),
  nindent: (spaces: number, value: string) => `\n${indented(value, spaces)}`,
  sha256sum: (value: string) => createHash('sha256').update(value).digest('hex'),
  dict: (...pairs: unknown[]) =>
    Object.fromEntries(Array.from({ length: pairs.length / 2 }, (_, at) => [pairs[2 * at], pairs[2 * at + 1]])),
  required: (message: string, value: unknown) => {
    if (!isTrue(value)) throw new Error(message);
    return value;
  },
};

/** Evaluates a pipeline: `include "name" . | nindent 4`. */
function evaluate(text: string, scope: Scope, templates: ReadonlyMap<string, Piece[]>): unknown {
  let piped: unknown[] = [];
  for (const stage of separated(text, '|')) {
    const [first = '', ...terms] = separated(stage, ' ');
    const given = [...terms.map((term) => termOf(term, scope, templates)), ...piped];
    if (first === 'include') {
      const [name, dot] = given as [string, unknown];
      const template = templates.get(name) ?? fail(`no template ${name}`);
      piped = [render(template, { dot, variables: new Map() }, templates)];
    } else if (Object.hasOwn(FUNCTIONS, first)) piped = [FUNCTIONS[first]!(...(given as never[]))];
    else if (given.length === 0) piped = [termOf(first, scope, templates)];
    else fail(`no function ${first}`);
  }
  return piped[0];
}

function fail(message: string): never {
  throw new Error(message);
}

function termOf(term: string, scope: Scope, templates: ReadonlyMap<string, Piece[]>): unknown {
  if (term.startsWith('(')) return evaluate(term.slice(1, -1), scope, templates);
  if (/^("|\d|true$|false$)/.test(term)) return JSON.parse(term);
  const [start = '', ...names] = term.split('.');
  if (start !== '' && !scope.variables.has(start)) fail(`no value ${term}`);
  const from = start === '' ? scope.dot : scope.variables.get(start);
  return names.filter(Boolean).reduce((value: unknown, name) => (value as Values | undefined)?.[name], from);
}

/** Divides a text where a mark stands outside of quotes and parentheses. */
function separated(text: string, mark: string): string[] {
  const parts = [''];
  let depth = 0;
  let isQuoted = false;
  for (const char of text) {
    if (char === '"') isQuoted = !isQuoted;
    else if (!isQuoted && char === '(') depth += 1;
    else if (!isQuoted && char === ')') depth -= 1;
    if (char === mark && !isQuoted && depth === 0) parts.push('');
    else parts[parts.length - 1] += char;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}
