import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import { operations } from '../src/app/dependencies.ts';
import { makePatterns } from './rig/databases.ts';
import { findLeaks } from './rig/leaks.ts';
import { holes } from './rig/ledger.ts';
import { startPostgres } from './rig/postgres.ts';
import { keepDescription } from './rig/validation.ts';

/**
 * Runs every test file on each database; units, which touch none, and files that say that they cannot tell them apart run
 * once. Arguments are parts of file names: only files that contain one of them run.
 */
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const only = process.argv.find((argument) => argument.startsWith('--database='))?.split('=')[1];
const chosen = (pattern: string): string[] =>
  globSync(pattern)
    .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
    .sort();

/** What holds the two databases against each other needs no second run. */
const COMPARING = [
  'test/laws/differential.test.ts',
  'test/laws/copies.test.ts',
  'test/laws/copied-reads.wider.ts',
  'test/faults/backups.wider.ts',
];
/** Laws and faults that know of no database run once, with the units. */
const WITHOUT_DATABASE = [
  'test/laws/membership-merging.test.ts',
  'test/laws/people-reading.test.ts',
  'test/faults/merging-kill.test.ts',
];

/** A file that begins so, with the reason, runs on one database: it cannot tell them apart. Every other runs on both. */
const EITHER = '// On either database: ';
const isOnEither = (file: string): boolean => readFileSync(file, 'utf8').startsWith(EITHER);

/** What only a database server can do to us. */
const ON_POSTGRES = /^test\/faults\/postgres-|^test\/faults\/outages/;

// The wider suites need what `npm ci` cannot bring; `--wider` runs them and nothing else.
const isWider = process.argv.includes('--wider');
const units = isWider
  ? []
  : [...chosen('test/units/**/*.test.ts'), ...WITHOUT_DATABASE.flatMap((file) => chosen(file))];
const others = isWider
  ? chosen('test/**/*.wider.ts')
  : chosen('test/{behaviours,resources,laws,faults,clients,commands}/**/*.test.ts').filter(
      (file) => !WITHOUT_DATABASE.includes(file),
    );
const onEither = others.filter(isOnEither);
const onDatabases = others.filter((file) => !onEither.includes(file));

// What no test has seen is a failure, once every test has run; `--holes` tells it of fewer tests too.
const isWhole = (wanted.length === 0 && !isWider) || process.argv.includes('--holes');

// Every file is a process that loads the whole program, and many start commands: each module is compiled once.
const compiled = mkdtempSync(join(tmpdir(), 'barker-compiled-'));
process.env.NODE_COMPILE_CACHE = compiled;

let passed = 0;
let failed = 0;
/** What failed, told once more at the end: the output of a whole run is long. */
const failures: string[] = [];
/** How long each file took, in seconds. */
const times = new Map<string, number>();
const SLOWEST = 15;

/** Files that a process runs one after the other: loading the whole program takes longer than most of them. */
const TOGETHER = 8;
/** One more than there are processors: many wait for processes, locks and clocks. */
const AT_ONCE = availableParallelism() + 1;
/** These stop and start processes, and wait for them: each has a process of its own. */
const ALONE = /^test\/(commands|faults)\//;

/** Files that run others, each in a suite of its own, with its own beginning and end. */
function bundles(files: readonly string[]): string[] {
  const isAlone = (file: string): boolean => isWider || ALONE.test(file);
  const alone = files.filter(isAlone);
  const others = files.filter((file) => !isAlone(file));
  const count = Math.max(Math.ceil(others.length / TOGETHER), Math.min(others.length, AT_ONCE));
  // Neighbours are alike, and take alike long: they are spread.
  const spread = Array.from({ length: count }, (_, at) => others.filter((_, index) => index % count === at));
  const written = spread.map((group, at) => {
    const suites = group.map((file) => {
      const url = pathToFileURL(resolve(file)).href;
      return `describe(${JSON.stringify(file)}, async () => { await import(${JSON.stringify(url)}); });`;
    });
    const bundle = join(compiled, `bundle-${at}-${group.length}.mjs`);
    writeFileSync(bundle, `import { describe } from 'node:test';\n${suites.join('\n')}\n`);
    return bundle;
  });
  // What takes long comes first, commands last, so that nothing long is left to run alone at the end.
  return [...written, ...alone.toReversed()];
}

async function runFiles(title: string, files: readonly string[]): Promise<void> {
  if (files.length === 0) return;
  process.stdout.write(`\n== ${title}\n`);
  const stream = run({ files: bundles(files), concurrency: AT_ONCE, timeout: 600_000 });
  stream.on('test:pass', (event) => {
    time(title, event);
    if (isCounted(event)) passed++;
  });
  stream.on('test:fail', (event) => {
    time(title, event);
    if (!isCounted(event)) return;
    failed++;
    const { file, line, name, details } = event;
    const place = file?.startsWith(compiled) ? '' : ` (${file && relative('.', file)}:${line})`;
    failures.push(`${title}: ${name}${place}\n${String(details.error.cause ?? details.error)}`);
  });
  const output = new Writable({
    write(chunk, _, done) {
      process.stdout.write(chunk, () => done());
    },
  });
  await new Promise<void>((resolve) => {
    stream.compose(spec).pipe(output).on('finish', resolve);
  });
}

function tellHoles(engine: string, ...ledgers: readonly string[]): void {
  const unseen = holes(operations, ...ledgers);
  if (unseen.length === 0) return;
  failed += 1;
  process.stdout.write(`\nOn ${engine} no test has seen:\n${unseen.map((each) => `  ${each}\n`).join('')}`);
}

/** A secret in a log is a failure. Its kind and the line are told, the logs are kept to be looked at. */
function tellLeaks(engine: string, logs: string): void {
  const { leaks, secrets, bytes } = findLeaks(logs);
  const searched = `${Math.ceil(bytes / 1e6)} MB of logs for ${secrets} secrets`;
  process.stdout.write(
    `\nOn ${engine} searched ${searched}: ${leaks.length === 0 ? 'none is there' : 'some are there'}\n`,
  );
  if (leaks.length === 0) {
    rmSync(logs, { recursive: true, force: true });
    return;
  }
  failed += 1;
  const byPlace = Map.groupBy(leaks, ({ kind, file }) => `${kind}: ${join(logs, file)}`);
  for (const [place, found] of byPlace) {
    process.stdout.write(`  ${place} line ${found[0]!.line}, ${found.length} in all\n`);
  }
}

/** A file is a suite of its bundle, or a process of its own. */
function time(title: string, { name, nesting, file, details }: TestEvent): void {
  const isBundled = name.startsWith('test/');
  if (!isBundled && (nesting > 0 || file === undefined || file.startsWith(compiled))) return;
  const of = `${title}: ${isBundled ? name : relative('.', file!)}`;
  times.set(of, (times.get(of) ?? 0) + details.duration_ms / 1000);
}

interface TestEvent {
  readonly name: string;
  readonly nesting: number;
  readonly file?: string;
  readonly details: { readonly duration_ms: number };
}

function isCounted(event: { details: { type?: string }; skip?: unknown; todo?: unknown }): boolean {
  return event.details.type !== 'suite';
}

/** Runs files on a database, with a ledger of its own, and looks through what was logged meanwhile. */
async function runOn(engine: string, title: string, files: readonly string[], ledgers: string): Promise<string> {
  process.env.TEST_DATABASE = engine;
  const ledger = mkdtempSync(join(ledgers, engine));
  process.env.TEST_LEDGER = ledger;
  const logs = mkdtempSync(join(tmpdir(), `barker-logs-${engine}-`));
  process.env.TEST_LOGS = logs;
  await runFiles(title, files);
  tellLeaks(title, logs);
  return ledger;
}

keepDescription(compiled);
await runFiles('units', units);
if (onDatabases.length + onEither.length > 0) {
  const needsServer = only !== 'sqlite' || COMPARING.some((file) => onDatabases.includes(file));
  const server = needsServer ? await startPostgres({ isHasty: true }) : undefined;
  process.env.TEST_POSTGRES_URL = server?.url ?? '';
  await makePatterns(compiled, server?.url);
  const ledgers = mkdtempSync(join(tmpdir(), 'barker-ledger-'));
  try {
    const engines = ['sqlite', 'postgres'].filter((name) => !only || name === only);
    const once = onEither.length > 0 ? [await runOn(engines[0]!, 'either database', onEither, ledgers)] : [];
    for (const engine of onDatabases.length > 0 ? engines : []) {
      const isLast = engine === engines.at(-1);
      const files = onDatabases.filter(
        (file) => (isLast || !COMPARING.includes(file)) && (engine === 'postgres' || !ON_POSTGRES.test(file)),
      );
      const ledger = await runOn(engine, engine, files, ledgers);
      if (isWhole) tellHoles(engine, ledger, ...once);
    }
  } finally {
    await server?.stop();
    rmSync(ledgers, { recursive: true, force: true });
  }
}
rmSync(compiled, { recursive: true, force: true });
if (isWhole || isWider) {
  const slowest = [...times].sort(([, a], [, b]) => b - a).slice(0, SLOWEST);
  process.stdout.write('\nThe slowest files, in seconds:\n');
  for (const [file, seconds] of slowest) process.stdout.write(`  ${seconds.toFixed(1).padStart(6)}  ${file}\n`);
}
for (const failure of failures) process.stdout.write(`\n✖ ${failure}\n`);
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
