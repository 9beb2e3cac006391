import { keyNames, piecesOf } from '../../src/http/reference/worked-examples.ts';
import { callsOf, PROGRAM, type SnippetCall, type SnippetPlan, type SnippetStep, signerOf, stepsOf } from './steps.ts';

/** Literals longer than this are broken into one item per line. */
const LINE_MAX = 90;

/** Builds an example for Python, with requests and requests-oauthlib. */
export function pythonSnippet(plan: SnippetPlan): string {
  const body = stepsOf(plan).flatMap((step) => stepLines(step, plan));
  const lines = [
    ...sessionLines(plan),
    ...(body.length > 0 ? [...body, ''] : []),
    `reply = ${called(plan.call, plan)}`,
    'print(reply.status_code, reply.text)',
  ].join('\n');
  return `${imports(lines)}\n\n${lines}`;
}

/** The imports that the lines need. */
function imports(lines: string): string {
  const modules = ['json', 'subprocess', 'time'].filter((name) => lines.includes(`${name}.`));
  const text = [
    ...modules.map((name) => `import ${name}`),
    ...(lines.includes('datetime.now') ? ['from datetime import datetime, timedelta, timezone'] : []),
    ...(lines.includes('parse_qs(') ? ['from urllib.parse import parse_qs'] : []),
    '',
    ...(lines.includes('requests.') ? ['import requests'] : []),
    ...(lines.includes('OAuth1Session(') ? ['from requests_oauthlib import OAuth1Session'] : []),
  ];
  return text.join('\n');
}

/** The sessions of users of the demo world. */
function sessionLines(plan: SnippetPlan): string[] {
  const sessions = new Map<string, string>();
  for (const call of callsOf(plan)) {
    const signer = signerOf(call);
    if (signer !== 'ada' && signer !== 'ben') continue;
    const { consumer, token } = keyNames(call);
    const keys = [...consumer, ...token].map((name) => keyText(plan, name));
    sessions.set(signer, `${signer} = ${list('OAuth1Session(', keys, ')')}`);
  }
  return [`base = ${text(plan.base)}`, ...sessions.values(), ''];
}

function keyText({ keyOf }: SnippetPlan, name: string): string {
  return text(keyOf(name));
}

function stepLines({ name: variable, source }: SnippetStep, plan: SnippetPlan): string[] {
  const name = nameOf(variable);
  if ('key' in source) return [`${name} = ${keyText(plan, source.key)}`];
  if ('after_s' in source) return [`${name} = ${timeText(source)}`];
  if ('command' in source) {
    const words = [...PROGRAM, ...source.command].map(text);
    return [`${name} = subprocess.check_output(${list('[', words, ']')}, text=True)`];
  }
  if ('pairs' in source) {
    const pairs = `${nameOf(source.pairs)}.strip().replace('\\n', '&')`;
    return [`${name} = parse_qs(${pairs})['${source.pick}'][0]`];
  }
  if ('ask' in source) return [`${name} = input(${text(`${source.ask}: `).replace('{{sandbox}}', '{base}')})`];
  if (source.pick === '') return [`${name} = ${called(source.call, plan)}.text`];
  const path = source.pick.split('.').map((each) => (/^\d+$/.test(each) ? `[${each}]` : `['${each}']`));
  return [`${name} = ${called(source.call, plan)}.json()${path.join('')}`];
}

function timeText({ after_s, as }: { readonly after_s: number; readonly as: string }): string {
  if (as === 'milliseconds') return 'str(time.time_ns() // 1_000_000)';
  const at = `(datetime.now(timezone.utc) ${after_s < 0 ? '-' : '+'} timedelta(seconds=${Math.abs(after_s)}))`;
  return `${at}.strftime('${as === 'time' ? '%Y-%m-%dT%H:%M:%SZ' : '%Y%m%d%H%M'}')`;
}

function called(call: SnippetCall, plan: SnippetPlan): string {
  const { method, path, query, form, json } = call;
  const parts = [
    `f'{base}${inner(path)}'`,
    ...(query ? [`params=${literal(query)}`] : []),
    ...(form ? [`data=${literal(form)}`] : []),
    ...(json === undefined ? [] : [`json=${literal(json)}`]),
    ...credentialPart(call, plan),
  ];
  return list(`${sessionOf(call, plan)}.${method.toLowerCase()}(`, parts, ')');
}

function credentialPart(call: SnippetCall, plan: SnippetPlan): string[] {
  if (call.credential === 'bearer') return ["headers={'authorization': f'Bearer {bearer}'}"];
  if (call.credential === 'publisher') return ["headers={'authorization': f'Bearer {publisher}'}"];
  return call.credential === 'basic' ? [`auth=(${ownKeys(plan).join(', ')})`] : [];
}

function ownKeys(plan: SnippetPlan): string[] {
  return ['consumer_key', 'consumer_secret'].map((name) => keyText(plan, name));
}

function sessionOf(call: SnippetCall, plan: SnippetPlan): string {
  const signer = signerOf(call);
  if (signer === 'bearer' || signer === 'basic' || signer === 'publisher') return 'requests';
  if (!call.keys) return signer;
  const { consumer, token } = call.keys;
  const { oauth_callback: callback, oauth_verifier: verifier } = call.protocol ?? {};
  const keys = [
    ...(consumer ? [text(consumer.key), text(consumer.secret)] : ownKeys(plan)),
    ...(token.key === '' ? [] : [text(token.key), text(token.secret)]),
    ...(callback === undefined ? [] : [`callback_uri=${text(callback)}`]),
    ...(verifier === undefined ? [] : [`verifier=${text(verifier)}`]),
  ];
  return list('OAuth1Session(', keys, ')');
}

/** A JSON value as a Python literal. */
function literal(value: unknown, depth = 0): string {
  if (typeof value === 'string') return text(value);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (value === null || value === undefined) return 'None';
  if (typeof value !== 'object') return String(value);
  const items = Array.isArray(value)
    ? value.map((each: unknown) => literal(each, depth + 1))
    : Object.entries(value).map(([name, each]) => `${text(name)}: ${literal(each, depth + 1)}`);
  const [start, end] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return list(start, items, end);
}

/** Items on one line, or each on its own. */
function list(start: string, items: readonly string[], end: string): string {
  const line = `${start}${items.join(', ')}${end}`;
  if (line.length <= LINE_MAX && !line.includes('\n')) return line;
  return `${start}\n${items.map((each) => `    ${each.replaceAll('\n', '\n    ')},\n`).join('')}${end}`;
}

/** A string literal, or the variable it stands for. */
function text(value: string): string {
  const pieces = piecesOf(value).filter((piece) => piece !== '');
  if (pieces.length === 1 && typeof pieces[0] !== 'string') return nameOf(pieces[0]!.variable);
  return pieces.some((piece) => typeof piece !== 'string') ? `f'${inner(value)}'` : `'${escaped(value)}'`;
}

/** The contents of an f-string. */
function inner(value: string): string {
  return piecesOf(value)
    .map((piece) =>
      typeof piece === 'string' ? escaped(piece).replace(/[{}]/g, '$&$&') : `{${nameOf(piece.variable)}}`,
    )
    .join('');
}

function escaped(value: string): string {
  return value.replace(/['\\]/g, '\\$&');
}

/** The Python name of a variable. */
function nameOf(variable: string): string {
  return variable.toLowerCase() === 'ada' || variable.toLowerCase() === 'ben'
    ? `${variable.toLowerCase()}_id`
    : variable.toLowerCase();
}
