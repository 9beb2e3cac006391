import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { RecordedReply } from '../rig/reply-records.ts';

/**
 * Runs tests with an alias file that renames every word, and without one, and compares each reply after putting it back
 * into own words: `npm run words`, or `npm run words -- --tests behaviours/echo`. Ends with 1 if a reply differs.
 */
const { values } = parseArgs({
  options: {
    tests: { type: 'string', multiple: true, default: ['behaviours/'] },
    shown: { type: 'string', default: '5' },
  },
});

/** What is drawn or measured anew in each run. */
const MASKS: readonly (readonly [RegExp, string])[] = [
  [/(127\.0\.0\.1|localhost|\[::1\]|%3A%2F%2F127\.0\.0\.1)(:|%3A)\d+/g, '$1$2<port>'],
  [/\b[0-9a-f]{16}\b/g, '<id of a request>'],
  [/(oauth_token|oauth_token_secret|oauth_verifier|denied|sess|csrf)=[\w%-]+/g, '$1=<secret>'],
  [/"(access_token|secret|consumer_key|consumer_secret|access_token_secret)":"[^"]+"/g, '"$1":"<secret>"'],
  [/(name="(?:authenticity_token|form_key)" value=")[^"]+/g, '$1<secret>'],
  [/<code>\d{7}<\/code>/g, '<code><PIN></code>'],
  [/<(code|kbd|td|dd|output)([^>]*)>[\w%-]{25,}</g, '<$1$2><secret><'],
  [/'nonce-[^']+'/g, "'nonce-<nonce>'"],
  // Who is in an audience is found out later, in the background.
  [/("reasons_not_targetable":\[)"PROCESSING",/g, '$1'],
  [/("audience_type":"(?:CRM|FLEXIBLE)","created_at":"[^"]+","updated_at":)"[^"]+"/g, '$1"<when processed>"'],
  // Ids grow in random steps, and work in the background draws from the same source.
  [/\b(?=[a-z]*\d)[0-9a-z]{5}\b/g, '<id>'],
  [/\b\d{19}\b/g, '<long id>'],
  // Requests that are refused while others are on their way: how many of those have been counted.
  [/( \| 429 \| .*x-rate-limit-remaining: )[1-9]\d*/g, '$1<some>'],
  [/"(duration_ms|waited_ms|elapsed_ms|pid)":[\d.]+/g, '"$1":<measured>'],
];
/** Headers that change with the length of words, or with each run. */
const LEFT_OUT = new Set(['content-length', 'etag', 'date', 'x-response-time', 'server-timing']);

const folder = mkdtempSync(join(tmpdir(), 'barker-words-'));

function run(name: string, ...options: string[]): { child: ChildProcess; replies: string; ended: Promise<string> } {
  const replies = join(folder, name);
  mkdirSync(replies);
  const child = spawn(
    process.execPath,
    // Of both runs the same cases.
    ['test/run.ts', ...values.tests, '--database=sqlite', '--seed=1', `--replies=${replies}`, ...options],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let output = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = new Promise<string>((resolve) => {
    child.on('close', () => resolve(output));
  });
  return { child, replies, ended };
}

/** What failed in a run; nothing if all went well. */
function failuresIn(name: string, output: string): string {
  if (/\n\d+ passed, 0 failed\n$/.test(output)) return '';
  const from = output.indexOf('Processor seconds:');
  return `${name} failed:\n${output.slice(from < 0 ? -4000 : from)}`;
}

/** A reply as one line; replies to the same request may come in any order. */
function lineOf({ method, target, status, headers, body }: RecordedReply): string {
  const kept = headers.filter(([header]) => !LEFT_OUT.has(header)).map((header) => header.join(': '));
  const line = [`${method} ${target}`, status, ...kept.sort(), body].join(' | ');
  return MASKS.reduce((text, [pattern, mask]) => text.replace(pattern, mask), line);
}

function linesIn(file: string): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RecordedReply)
    .filter(({ target }) => !target.startsWith('/metrics'))
    .map(lineOf)
    .sort();
}

/** What is in one list and not in the other, as often as it is there. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}

function excerpt(line: string, other: string | undefined): string {
  let at = 0;
  while (other !== undefined && at < line.length && line[at] === other[at]) at += 1;
  const from = Math.max(0, at - 120);
  return `${line.slice(0, 100)} … ${line.slice(from, at + 160)}`;
}

const own = run('own');
const foreign = run('foreign', '--aliases');
const outputs = await Promise.all([own.ended, foreign.ended]);
const failures = [failuresIn('The run in own words', outputs[0]), failuresIn('The run in foreign words', outputs[1])];
let compared = 0;
let differing = 0;
// Some files are about own words alone, and have no run with the alias file.
for (const file of readdirSync(foreign.replies)) {
  const lines = { own: linesIn(join(own.replies, file)), foreign: linesIn(join(foreign.replies, file)) };
  compared += lines.own.length;
  const [only, others] = [without(lines.own, lines.foreign), without(lines.foreign, lines.own)];
  differing += Math.max(only.length, others.length);
  for (const [at, line] of only.slice(0, Number(values.shown)).entries()) {
    process.stdout.write(`${file}\n  own:     ${excerpt(line, others[at])}\n`);
    process.stdout.write(`  foreign: ${others[at] === undefined ? 'none' : excerpt(others[at], line)}\n`);
  }
  if (only.length !== others.length)
    process.stdout.write(`${file}: ${only.length} in own words, ${others.length} in foreign\n`);
}
rmSync(folder, { recursive: true, force: true });
for (const failure of failures.filter((each) => each !== '')) process.stdout.write(`\n${failure}\n`);
process.stdout.write(`\n${compared} replies compared, ${differing} differ\n`);
process.exit(differing === 0 && compared > 0 && failures.every((each) => each === '') ? 0 : 1);
