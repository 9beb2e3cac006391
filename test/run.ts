import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type TestFile, type Tier, testFiles } from './plan.ts';
import { COMPILED } from './rig/cache.ts';
import type { Section } from './rig/run-sections.ts';

const USAGE = `npm test -- [NAME...] [options]

Runs the tests, or the files whose paths contain a NAME.

  --tier TIER       short, core (what \`.ci/run\` adds) or full (everything); short unless given
  --changed         only the tests that can see what differs from the last commit, or else what it changed: a minute
  --sight           in a whole short run, keeps which functions each file of tests calls, for --changed and \`npm run mutants\`
  --seed N          which samples of the cross products run; drawn unless given
  --database NAME   sqlite or postgres alone
  --nodes N         so many servers behind a balancer, on PostgreSQL; needs Redis
  --aliases         servers with an alias file that renames every word, and clients that speak its words
  --replies FOLDER  keeps every reply there
  --holes           also fails on what no test has seen when only some files run
`;

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    tier: { type: 'string', default: 'short' },
    changed: { type: 'boolean', default: false },
    sight: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
    database: { type: 'string' },
    nodes: { type: 'string' },
    aliases: { type: 'boolean', default: false },
    replies: { type: 'string' },
    holes: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help || !['short', 'core', 'full'].includes(values.tier)) {
  process.stdout.write(USAGE);
  process.exit(values.help ? 0 : 2);
}
const tier = values.tier as Tier;
const isAll = names.length === 0 && !values.changed;
const isWhole = isAll && tier !== 'core';
// A part of the files would replace the calls of all.
const keepsSight = values.sight && isAll && tier === 'short';
// Modules may look at these when they are loaded.
process.env.TEST_TIER = tier;
process.env.TEST_SEED = values.seed;
enableCompileCache(COMPILED);
const { operations } = await import('../src/app/dependencies.ts');
const { testsOfChanges } = await import('./rig/changed.ts');
const { openEnvironment } = await import('./rig/environment.ts');
const { findLeaks } = await import('./rig/leaks.ts');
const { unseenBy } = await import('./rig/ledger.ts');
const { processorSeconds } = await import('./rig/processor-time.ts');
const { noResults, runSections } = await import('./rig/run-sections.ts');
const { isFull, sampled } = await import('./rig/sampling.ts');
const { newSightFile, readSights, SIGHT_FILE } = await import('./rig/sight.ts');
flushCompileCache();

const sights = values.changed ? readSights() : [];
if (values.changed && sights.length === 0) {
  process.stderr.write('--changed needs the calls of each file of tests: run `npm test -- --sight` first\n');
  process.exit(2);
}

/** More than there are processors: many wait for processes, locks and clocks. */
const AT_ONCE = availableParallelism() + 2;
/** What a file may open on the shared database server: three nodes of some twenty each, twice while they are replaced. */
const FILE_CONNECTIONS = 120;
/** The files that take longest, in ascending order: they begin first, so that all processes end at about the same time. */
const LONGEST = [
  ...['/kill.', '/logins.', '/dev-file.', 'nightly-backup', '/serve.', '/trial.', 'commands/webhooks.', '/tls.'],
  ...['/packed.', '/dev.', 'backups', 'operate', 'reference-examples', 'crash', 'story', 'fuzz', 'shared-state'],
  ...['installed', 'image', 'pages'],
];
/** How many of the slowest files are listed. */
const SLOWEST = 15;

const files = (values.changed ? testsOfChanges(testFiles(), sights) : testFiles()).filter((file) => {
  if (values.changed) return !file.isWider || tier !== 'short';
  if (names.length > 0) return names.some((part) => file.path.includes(part)) && (tier !== 'short' || !file.isWider);
  return isFull || file.tier === tier;
});
const chosen = files.filter(
  ({ usesDatabase, speaksForeignWords, isOfOneNode }) =>
    (!values.aliases || !usesDatabase || speaksForeignWords) && (values.nodes === undefined || !isOfOneNode),
);

/** Titles of sections. */
const ONCE = 'either database';
const BALANCED = 'behind a balancer';
const IN_FOREIGN_WORDS = 'in foreign words';

const engines = ['sqlite', 'postgres'].filter((name) => values.database === undefined || name === values.database);
const ledgers = mkdtempSync(join(tmpdir(), 'barker-ledger-'));

/** Whether one database is enough for a file in this run. */
function isOnce({ isPostgresAlone, isComparing, isOnEither, isOnStorage, usesDatabase }: TestFile): boolean {
  if (isPostgresAlone || isComparing) return false;
  return isOnEither || !usesDatabase || !(isFull || isOnStorage);
}

const isOnPostgres = values.database === 'postgres' || (values.database === undefined && !chosen.every(isOnce));
const needsServer = isOnPostgres || chosen.some(({ isComparing }) => isComparing) || (tier !== 'short' && isAll);
const { folder: compiled, close } = await openEnvironment({
  ...(needsServer && { connections: AT_ONCE * FILE_CONNECTIONS }),
  hasAliasFile: tier !== 'short' || values.aliases,
  hasTarball: chosen.some(({ path }) => readFileSync(path, 'utf8').includes('rig/tarball.ts')),
  hasValidators: isAll,
});

/** Files on a database, with a ledger and a folder for logs of their own. */
function sectionOn(engine: string, title: string, some: readonly TestFile[], more: Partial<Section> = {}): Section {
  const environment = {
    TEST_DATABASE: engine,
    ...(values.nodes !== undefined && { TEST_NODES: values.nodes }),
    ...(values.aliases && { TEST_ALIASES: join(compiled, 'aliases.json') }),
    ...(values.replies !== undefined && { TEST_REPLIES: values.replies }),
    // Full runs try laws with their own seed on one database, and with another on the other.
    ...(isFull && engine === 'postgres' && { LAW_SEED: values.seed }),
    TEST_LEDGER: mkdtempSync(join(ledgers, engine)),
    TEST_LOGS: mkdtempSync(join(tmpdir(), `barker-logs-${engine}-`)),
    ...more.environment,
  };
  // Ids in replies depend on what ran before, so that one process runs all files.
  const single = values.replies === undefined ? {} : { processesMax: 1 };
  return { title, files: some.map(({ path }) => path), ...single, ...more, environment };
}

/** The sections of some files: on one database where that is enough for this run, or else on both. */
function sectionsOf(some: readonly TestFile[], more: Partial<Section> = {}): Section[] {
  const [first, last] = [engines[0]!, engines.at(-1)!];
  const both = some.filter((file) => !isOnce(file));
  const on = (engine: string): TestFile[] =>
    both.filter((file) => (engine === last || !file.isComparing) && (engine === 'postgres' || !file.isPostgresAlone));
  const sections = engines.map((engine) => sectionOn(engine, engine, on(engine), more));
  const once = some.filter(isOnce);
  // Two sections load the program twice as often.
  if (isFull) return [sectionOn(first, ONCE, once, more), ...sections].toReversed();
  return sections
    .map((each) => {
      const added = each.title === first ? once.map(({ path }) => path) : [];
      return { ...each, files: [...each.files, ...added] };
    })
    .toReversed();
}

/** What is the same on several nodes, and in other words: all of it in full runs, samples in those of the core. */
function repeatedSections(): Section[] {
  if (tier === 'short' || !isAll) return [];
  const some = (all: readonly TestFile[]) =>
    sampled(
      all,
      () => 'any',
      ({ name }) => name,
    );
  const all = testFiles();
  const nodes = { environment: { TEST_NODES: '2' } };
  const words = { environment: { TEST_ALIASES: join(compiled, 'aliases.json') } };
  return [
    sectionOn('postgres', BALANCED, some(all.filter((file) => file.runsOnNodes)), nodes),
    sectionOn(engines[0]!, IN_FOREIGN_WORDS, some(all.filter((file) => file.runsInForeignWords)), words),
  ];
}

/** A secret in a log is a failure. Its kind and the line are told, the logs are kept to be looked at. */
function reportLeaks(engine: string, logs: string): void {
  const { leaks, secrets, bytes } = findLeaks(logs);
  const searched = `${Math.ceil(bytes / 1e6)} MB of logs for ${secrets} secrets`;
  const found = leaks.length === 0 ? 'none is there' : 'some are there';
  process.stdout.write(`\nOn ${engine} searched ${searched}: ${found}\n`);
  if (leaks.length === 0) {
    rmSync(logs, { recursive: true, force: true });
    return;
  }
  results.failed += 1;
  const byPlace = Map.groupBy(leaks, ({ kind, file }) => `${kind}: ${join(logs, file)}`);
  for (const [place, some] of byPlace) {
    process.stdout.write(`  ${place} line ${some[0]!.line}, ${some.length} in all\n`);
  }
}

function reportUnseen(title: string, ...places: readonly string[]): void {
  const unseen = unseenBy(operations, !isFull, ...places);
  if (unseen.length === 0) return;
  results.failed += 1;
  process.stdout.write(`\nOn ${title} no test has seen:\n${unseen.map((each) => `  ${each}\n`).join('')}`);
}

function reportMost(what: string, seconds: ReadonlyMap<string, number>): void {
  const most = [...seconds].sort(([, a], [, b]) => b - a).slice(0, SLOWEST);
  process.stdout.write(`\n${what}:\n`);
  for (const [file, each] of most) process.stdout.write(`  ${each.toFixed(1).padStart(6)}  ${file}\n`);
}

const rank = ({ path }: TestFile): number => LONGEST.findLastIndex((part) => path.includes(part));
const [inOwn = [], inShared = []] = [true, false].map((isWider) =>
  chosen.filter((each) => each.isWider === isWider).sort((one, other) => rank(other) - rank(one)),
);
const sections = [...sectionsOf(inShared), ...repeatedSections()];
const apart = sectionsOf(inOwn, { isApart: true, environment: { TEST_VALIDATORS: '' } });
const databases = [...sections, ...apart].filter((each) => each.files.length > 0);
const results = noResults();
if (keepsSight) {
  process.env.TEST_SIGHT = newSightFile();
  // Calls of what was compiled before are counted less exactly.
  process.env.NODE_DISABLE_COMPILE_CACHE = '1';
}
process.stdout.write(`Samples of seed ${values.seed}\n`);
try {
  await runSections([...sections, ...apart], compiled, AT_ONCE, results);
  for (const { title, environment } of databases) reportLeaks(title, environment.TEST_LOGS!);
  if (isWhole || values.holes) {
    const ledgersOf = (...titles: string[]): string[] =>
      sections.filter(({ title }) => titles.includes(title)).map(({ environment }) => environment.TEST_LEDGER!);
    // A short run has few files on PostgreSQL.
    if (isFull) for (const engine of engines) reportUnseen(engine, ...ledgersOf(engine, ONCE));
    else reportUnseen('any database', ...ledgersOf(...engines));
  }
} finally {
  await close();
  rmSync(ledgers, { recursive: true, force: true });
}
if (isAll) {
  reportMost('The slowest files, in seconds', results.times);
  reportMost('The files that took most processor seconds', results.fileTimes);
}
const spent = [...results.processorTimes].map(([title, seconds]) => `${title} ${seconds.toFixed(0)}`);
const total = processorSeconds().toFixed(0);
process.stdout.write(`\nProcessor seconds: ${spent.join(', ')}, all with the database server ${total}\n`);
process.stdout.write(`Seed ${values.seed}\n`);
if (keepsSight) renameSync(process.env.TEST_SIGHT!, SIGHT_FILE);
for (const failure of results.failures) process.stdout.write(`\n✖ ${failure}\n`);
process.stdout.write(`\n${results.passed} passed, ${results.failed} failed\n`);
process.exit(results.failed > 0 || results.passed === 0 ? 1 : 0);
