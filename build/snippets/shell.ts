import { piecesOf } from '../../src/http/reference/worked-examples.ts';
import { isNamed, memberPath, PROGRAM, type SnippetCall, type SnippetPlan, type SnippetStep } from './steps.ts';

const BARKER = PROGRAM.join(' ');

/** Lines longer than this are broken. */
const LINE_MAX = 100;

/**
 * Builds an example for a shell: curl, with the signature from `barker sign`. Preceding steps use `barker call`.
 * @source decision 899
 */
export function shellSnippet(plan: SnippetPlan): string {
  const steps = plan.steps
    .filter(({ name }) => name !== 'BEARER' || isNamed(plan, name))
    .map((step) => stepLines(step, plan));
  return [...steps, curlLines(plan.call, plan.base)].join('\n');
}

function stepLines({ name, source }: SnippetStep, { base }: SnippetPlan): string {
  if ('key' in source) return `${name}=$(node -p 'require("./data/dev.json").${source.key}')`;
  if ('after_s' in source) return `${name}=$(node -p '${timeScript(source)}')`;
  if ('command' in source) return `${name}=$(${BARKER} ${source.command.map(quoted).join(' ')})`;
  if ('pairs' in source) {
    return `${name}=$(echo "$${source.pairs}" | tr '&' '\\n' | sed -n 's/^${source.pick}=//p')`;
  }
  if ('ask' in source) return `echo ${quoted(source.ask.replace('{sandbox}', base))}\nread -r ${name}`;
  const { call, pick } = source;
  if (call.credential === 'basic' || call.credential === 'consumer') {
    const read = pick === '' ? '' : ` |\n  node -p 'JSON.parse(fs.readFileSync(0))${memberPath(pick)}'`;
    const [url, curl] = [`URL=${quoted(base + call.path)}`, curlWords(call, 'curl -s')];
    return `${url}\n${name}=$(${broken(curl)}${read})`;
  }
  const words = [
    `${BARKER} call ${call.method} ${quoted(call.path)} --sandbox`,
    ...(call.credential === 'bearer' ? ['--bearer'] : []),
    ...whoWords(call),
    ...pairsOf(call).map((pair) => `-d ${pair}`),
    ...(call.json === undefined ? [] : [`--json ${quotedJson(call.json)}`]),
    ...(pick === '' ? [] : [`--pick ${pick}`]),
  ];
  return `${name}=$(${broken(words)})`;
}

function timeScript({ after_s, as }: { readonly after_s: number; readonly as: string }): string {
  const at = after_s === 0 ? 'Date.now()' : `Date.now() ${after_s < 0 ? '-' : '+'} ${Math.abs(after_s)}e3`;
  if (as === 'milliseconds') return at;
  const text = `new Date(${at}).toISOString()`;
  return as === 'time' ? `${text}.slice(0, 19) + "Z"` : `${text}.replace(/\\D/g, "").slice(0, 12)`;
}

function curlLines(call: SnippetCall, base: string): string {
  const { method, query } = call;
  const inUrl = query && (method === 'POST' || method === 'PUT');
  const path = inUrl ? `${call.path}?${new URLSearchParams(query).toString().replaceAll('%24', '$')}` : call.path;
  return `URL=${quoted(base + path)}\n${broken(curlWords(call, 'curl'))}`;
}

/** The arguments of a curl command for `$URL`. */
function curlWords(call: SnippetCall, curl: string): string[] {
  const { method, query, form, json } = call;
  const isQuery = query !== undefined && (method === 'GET' || method === 'DELETE');
  const pairs = pairsOf(call);
  const verb = method === 'GET' ? '' : ` -X ${method}`;
  const start = `${curl}${isQuery ? ' -G' : ''}${verb} "$URL"`;
  const data =
    json === undefined
      ? pairs.map((pair) => `--data-urlencode ${pair}`)
      : [`-H 'content-type: application/json'`, `-d ${quotedJson(json)}`];
  if (call.credential === 'basic') return [start, `-u "$(${BASIC})"`, ...data];
  if (call.credential === 'publisher') return [start, ...data, '-H "authorization: Bearer $PUBLISHER"'];
  const bearer = call.credential === 'bearer' ? ' --bearer' : '';
  const signed = [
    `${BARKER} sign --header${bearer} ${method} "$URL"`,
    ...whoWords(call),
    ...Object.entries(call.protocol ?? {}).map(([name, value]) => `-p ${quoted(`${name}=${value}`)}`),
    ...(bearer === '' && (form || isQuery) ? pairs.map((pair) => `-d ${pair}`) : []),
  ];
  return [start, ...data, `-H "$(${signed.join(' ')})"`];
}

const BASIC = `node -p 'const dev = require("./data/dev.json"); dev.consumer_key + ":" + dev.consumer_secret'`;

function whoWords(call: SnippetCall): string[] {
  const { keys, as, app } = call;
  if (call.credential === 'bearer') return [];
  if (keys) {
    const { consumer, token } = keys;
    return [
      ...(consumer ? [`--consumer-key ${quoted(consumer.key)} --consumer-secret ${quoted(consumer.secret)}`] : []),
      `--token ${quoted(token.key)} --token-secret ${quoted(token.secret)}`,
    ];
  }
  return [...(as === 'other' ? ['--as other'] : []), ...(app === 'messages' ? ['--app messages'] : [])];
}

/** The parameters, quoted; those in the query of POST and PUT are in the URL. */
function pairsOf({ method, query, form }: SnippetCall): string[] {
  const pairs = form ?? (method === 'GET' || method === 'DELETE' ? query : undefined) ?? {};
  return Object.entries(pairs).map(([name, value]) => quoted(`${name}=${value}`));
}

/** Arguments on one line, or each on its own if they do not fit. */
function broken(words: readonly string[]): string {
  const line = words.join(' ');
  return line.length <= LINE_MAX && !line.includes('\n') ? line : words.join(' \\\n  ');
}

/** Quotes a text as one shell argument. */
function quoted(text: string): string {
  const pieces = piecesOf(text);
  if (pieces.every((piece) => typeof piece === 'string')) {
    return /^[\w,.:/@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
  }
  const inner = pieces.map((piece, index) => {
    if (typeof piece === 'string') return piece.replace(/["\\`$]/g, '\\$&');
    const next = pieces[index + 1];
    return typeof next === 'string' && /^\w/.test(next) ? `\${${piece.variable}}` : `$${piece.variable}`;
  });
  return `"${inner.join('')}"`;
}

/** Quotes JSON as one shell argument. */
function quotedJson(json: unknown): string {
  const line = JSON.stringify(json);
  const text = line.length <= LINE_MAX - 20 ? line : JSON.stringify(json, null, 2);
  const pieces = piecesOf(text.replaceAll("'", `'\\''`));
  return `'${pieces.map((piece) => (typeof piece === 'string' ? piece : `'"$${piece.variable}"'`)).join('')}'`;
}
