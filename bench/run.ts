import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { collect } from './rig/collect.ts';
import { compareWith } from './rig/compare.ts';
import { machineNow, ROOT } from './rig/machine.ts';
import { addToReport } from './rig/report-page.ts';

const NAMES = [
  ...['get', 'list', 'create', 'targeting', 'pages', 'signature', 'inspector', 'aliases', 'postgres', 'redis', 'nodes'],
  ...['bearer', 'refusals', 'servability', 'append', 'uploads', 'estimate', 'shares', 'memberships', 'events', 'rows'],
  ...['insights', 'related', 'settle', 'decisions', 'stats', 'stream', 'webhooks', 'growth', 'starts'],
];
/** These compare with other servers or read corpora, which are in a package of their own. */
const NEED_PACKAGES = ['bearer', 'related'];
/** Prints words of people for review, and has no place in a report. */
const REVIEWED = 'related';
/** What every change can make slower; these take some minutes. */
const COMPARED = ['get', 'list', 'create', 'bearer', 'decisions', 'starts'];
const REPORT = join(ROOT, 'docs/benchmarks');

const USAGE = `npm run bench -- NAME [...]            runs a benchmark, with what else it takes
npm run bench -- NAME... --report      runs several, and writes docs/benchmarks/; what is there of the same program stays
npm run bench -- all --report          runs all of them but ${REVIEWED}
npm run bench -- compare COMMIT [NAME...]
                                       runs some on that commit and on this one in turn; fails when this one
                                       is slower by more than 10 %, 19 times in 20
NAME is one of ${NAMES.join(', ')}
`;

function fail(text: string): never {
  process.stderr.write(text);
  process.exit(2);
}

function checkNames(names: readonly string[]): readonly string[] {
  if (names.length === 0 || !names.every((name) => NAMES.includes(name))) fail(USAGE);
  const missing = names.filter((name) => NEED_PACKAGES.includes(name));
  if (missing.length > 0 && !existsSync(new URL('node_modules', import.meta.url))) {
    fail(`The benchmark ${missing.join(' and ')} needs packages that are not installed: npm ci --prefix bench\n`);
  }
  return names;
}

async function report(names: readonly string[]): Promise<void> {
  const machine = machineNow();
  const failed: string[] = [];
  for (const name of names) {
    const run = await collect(name, ROOT);
    addToReport(REPORT, machine, run, NAMES);
    if (run.code !== 0) failed.push(name);
  }
  process.stdout.write(`Written: ${REPORT}\n`);
  if (failed.length === 0) return;
  process.stderr.write(`These did not come to their end: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}

async function compare([base, ...names]: readonly string[]): Promise<void> {
  if (base === undefined) fail(USAGE);
  const slower = await compareWith(base, checkNames(names.length === 0 ? COMPARED : names));
  for (const { name, times, high } of slower) {
    process.stdout.write(`Slower: ${name}, x ${times.toFixed(2)}, at most ${high.toFixed(2)}\n`);
  }
  if (slower.length > 0) process.exitCode = 1;
}

const [first = '', ...rest] = process.argv.slice(2);
if (first === 'compare') await compare(rest);
else if (process.argv.includes('--report')) {
  const asked = [first, ...rest].filter((each) => each !== '--report');
  await report(checkNames(asked[0] === 'all' ? NAMES.filter((name) => name !== REVIEWED) : asked));
} else {
  checkNames([first]);
  const { run } = (await import(`./${first}.ts`)) as { run(): Promise<void> };
  await run();
}
