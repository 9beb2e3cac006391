import { keyNames, piecesOf } from '../../src/http/reference/worked-examples.ts';
import {
  callsOf,
  memberPath,
  PROGRAM,
  type SnippetCall,
  type SnippetPlan,
  type SnippetStep,
  signerOf,
  stepsOf,
} from './steps.ts';

/** Literals longer than this are broken into one item per line. */
const LINE_MAX = 90;

/** Builds an example for Node.js, with `client.mjs`. */
export function nodeSnippet(plan: SnippetPlan): string {
  const body = stepsOf(plan).map((step) => stepLine(step, plan));
  const lines = [
    ...keyLines(plan),
    ...(body.length > 0 ? [...body, ''] : []),
    `const reply = await ${called(plan.call, plan)};`,
    'console.log(reply.status, reply.text);',
  ].join('\n');
  return `${imports(lines)}\n\n${lines}`;
}

function imports(lines: string): string {
  return [
    ...(lines.includes('execFileSync(') ? ["import { execFileSync } from 'node:child_process';"] : []),
    ...(lines.includes('createInterface(') ? ["import { createInterface } from 'node:readline/promises';"] : []),
    "import { call } from './client.mjs';",
  ].join('\n');
}

/** The keys of users of the demo world. */
function keyLines(plan: SnippetPlan): string[] {
  const keys = new Map<string, string>();
  for (const call of callsOf(plan)) {
    const signer = signerOf(call);
    if (signer !== 'ada' && signer !== 'ben') continue;
    const { consumer, token } = keyNames(call);
    const [key, secret] = [consumer, token].map((names) =>
      list(
        '[',
        names.map((name) => keyText(plan, name)),
        ']',
      ),
    );
    keys.set(signer, `const ${signer} = ${list('{ ', [`consumer: ${key}`, `token: ${secret}`], ' }')};`);
  }
  return [`const base = ${text(plan.base)};`, ...keys.values(), ''];
}

function keyText({ keyOf }: SnippetPlan, name: string): string {
  return text(keyOf(name));
}

function stepLine({ name: variable, source }: SnippetStep, plan: SnippetPlan): string {
  const name = nameOf(variable);
  if ('key' in source) return `const ${name} = ${keyText(plan, source.key)};`;
  if ('after_s' in source) return `const ${name} = ${timeText(source)};`;
  if ('command' in source) {
    const [program, ...words] = [...PROGRAM, ...source.command].map(text);
    return `const ${name} = execFileSync(${program}, ${list('[', words, ']')}, { encoding: 'utf8' });`;
  }
  if ('pairs' in source) {
    const pairs = `${nameOf(source.pairs)}.trim().replaceAll('\\n', '&')`;
    return `const ${name} = new URLSearchParams(${pairs}).get('${source.pick}');`;
  }
  if ('ask' in source) {
    const question = text(`${source.ask}: `).replace('{sandbox}', `\${base}`);
    return [
      'const terminal = createInterface({ input: process.stdin, output: process.stdout });',
      `const ${name} = await terminal.question(\n  ${question},\n);`,
      'terminal.close();',
    ].join('\n');
  }
  const read = source.pick === '' ? '.text' : `.json${memberPath(source.pick)}`;
  return `const ${name} = (await ${called(source.call, plan)})${read};`;
}

function timeText({ after_s, as }: { readonly after_s: number; readonly as: string }): string {
  if (as === 'milliseconds') return 'String(Date.now())';
  const at = `new Date(Date.now() ${after_s < 0 ? '-' : '+'} ${Math.abs(after_s)}e3).toISOString()`;
  return as === 'time' ? `\`\${${at}.slice(0, 19)}Z\`` : `${at}.replace(/\\D/g, '').slice(0, 12)`;
}

function called(call: SnippetCall, plan: SnippetPlan): string {
  const { method, path, query, form, json, protocol } = call;
  const sent = [
    ...(query ? [`query: ${literal(query)}`] : []),
    ...(form ? [`form: ${literal(form)}`] : []),
    ...(json === undefined ? [] : [`json: ${literal(json)}`]),
    ...(protocol ? [`protocol: ${literal(protocol)}`] : []),
  ];
  const parts = [keysOf(call, plan), `'${method}'`, `\`\${base}${inner(path)}\``];
  return list('call(', sent.length > 0 ? [...parts, list('{ ', sent, ' }')] : parts, ')');
}

function keysOf(call: SnippetCall, plan: SnippetPlan): string {
  const signer = signerOf(call);
  if (signer === 'bearer') return '{ bearer }';
  if (signer === 'publisher') return '{ bearer: publisher }';
  const own = ['consumer_key', 'consumer_secret'].map((name) => keyText(plan, name)).join(', ');
  if (signer === 'basic') return `{ basic: [${own}] }`;
  if (!call.keys) return signer;
  const { consumer, token } = call.keys;
  const pair = consumer ? `${text(consumer.key)}, ${text(consumer.secret)}` : own;
  const user = token.key === '' ? [] : [`token: [${text(token.key)}, ${text(token.secret)}]`];
  return list('{ ', [`consumer: [${pair}]`, ...user], ' }');
}

/** A JSON value as a JavaScript literal. */
function literal(value: unknown): string {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return list('[', value.map(literal), ']');
  const members = Object.entries(value).map(([name, each]) => {
    const written = literal(each);
    return written === name ? name : `${name}: ${written}`;
  });
  return list('{ ', members, ' }');
}

/** Items on one line, or each on its own. */
function list(start: string, items: readonly string[], end: string): string {
  const line = `${start}${items.join(', ')}${end}`;
  if (line.length <= LINE_MAX && !line.includes('\n')) return line;
  const inside = items.map((each) => `  ${each.replaceAll('\n', '\n  ')},\n`).join('');
  return `${start.trimEnd()}\n${inside}${end.trimStart()}`;
}

/** A string literal, or the variable it stands for. */
function text(value: string): string {
  const pieces = piecesOf(value).filter((piece) => piece !== '');
  if (pieces.length === 1 && typeof pieces[0] !== 'string') return nameOf(pieces[0]!.variable);
  if (pieces.some((piece) => typeof piece !== 'string')) return `\`${inner(value)}\``;
  return `'${value.replace(/['\\]/g, '\\$&')}'`;
}

/** The contents of a template literal. */
function inner(value: string): string {
  return piecesOf(value)
    .map((piece) => (typeof piece === 'string' ? piece.replace(/[`\\$]/g, '\\$&') : `\${${nameOf(piece.variable)}}`))
    .join('');
}

/** The JavaScript name of a variable. */
function nameOf(variable: string): string {
  const name = variable.toLowerCase().replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return name === 'ada' || name === 'ben' ? `${name}Id` : name;
}
