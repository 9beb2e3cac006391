import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import { operations } from '../src/app/dependencies.ts';
import { createTemplates } from './rig/databases.ts';
import { keepAliasFile } from './rig/foreign-words.ts';
import { findLeaks } from './rig/leaks.ts';
import { unseenBy } from './rig/ledger.ts';
import { startPostgres } from './rig/postgres.ts';
import { processorSeconds } from './rig/processor-time.ts';
import { packTarball } from './rig/tarball.ts';
import { keepDescription, keepValidators } from './rig/validation.ts';

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
  'test/laws/upload-parsing.test.ts',
  'test/faults/merging-kill.test.ts',
];

/** A file that begins so, with the reason, runs on one database: it cannot tell them apart. Every other runs on both. */
const EITHER = '// On either database: ';
const isOnEither = (file: string): boolean => readFileSync(file, 'utf8').startsWith(EITHER);

/** A file with such a line is about one server, and does not run behind a balancer. */
const ONE_NODE = /^\/\/ Of one node: /m;
/** The title of what runs on several nodes. */
const BALANCED = 'behind a balancer';
/** What must be the same whichever node answers. */
const ON_NODES = 'test/{behaviours/*,resources/activity-*,resources/connections,resources/subscription*}.test.ts';

/** A file with such a line is about the words of the service itself, and does not run with an alias file. */
const OWN_WORDS = /^\/\/ Of own words: /m;
/** The title of what runs with an alias file. */
const IN_FOREIGN_WORDS = 'in foreign words';
/** What must be the same in all words. */
const ON_WORDS = 'test/{behaviours/*,resources/activity-*,laws/differential}.test.ts';

/** What only a database server can do to us. */
const ON_POSTGRES = /^test\/faults\/postgres-|^test\/faults\/outages/;

// The wider suites need what `npm ci` cannot bring; `--wider` runs them and nothing else.
const isWider = process.argv.includes('--wider');
// `--nodes=3` gives every world on PostgreSQL so many nodes behind a balancer; they need Redis.
const nodes = process.argv.find((argument) => argument.startsWith('--nodes='))?.split('=')[1];
const speaksForeign = (file: string): boolean => !OWN_WORDS.test(readFileSync(file, 'utf8'));
// `--replies=FOLDER` keeps every reply there; ids in them depend on what ran before, so that one process runs all files.
const replies = process.argv.find((argument) => argument.startsWith('--replies='))?.split('=')[1];
// `--aliases` gives every world an alias file that renames every word, and clients that speak its words.
const hasAliases = process.argv.includes('--aliases');
const units = isWider
  ? []
  : [...chosen('test/units/**/*.test.ts'), ...WITHOUT_DATABASE.flatMap((file) => chosen(file))];
const others = isWider
  ? chosen('test/**/*.wider.ts')
  : chosen('test/{behaviours,resources,laws,faults,clients,commands}/**/*.test.ts').filter(
      (file) => !WITHOUT_DATABASE.includes(file) && (!hasAliases || speaksForeign(file)),
    );
const inForeignWords = isWider ? chosen(ON_WORDS).filter(speaksForeign) : [];
const onNodes = isWider ? chosen(ON_NODES).filter((file) => !ONE_NODE.test(readFileSync(file, 'utf8'))) : [];
const onEither = others.filter(isOnEither);
const onDatabases = others.filter((file) => !onEither.includes(file));

// What no test has seen is a failure, once every test has run; `--holes` tells it of fewer tests too.
const isWhole = (wanted.length === 0 && !isWider) || process.argv.includes('--holes');

// Every process loads the whole program, and many start commands: each module is compiled once.
const compiled = mkdtempSync(join(tmpdir(), 'barker-compiled-'));
process.env.NODE_COMPILE_CACHE = compiled;

let passed = 0;
let failed = 0;
/** Failures, repeated at the end: the output of a whole run is long. */
const failures: string[] = [];
/** How long each file took, in seconds. */
const times = new Map<string, number>();
const SLOWEST = 15;
/** How many processor seconds each file took, with the processes that it started. */
const fileTimes = new Map<string, number>();
/** How many processor seconds the processes of each section took, with those that they started. */
const processorTimes = new Map<string, number>();

/** More than there are processors: many wait for processes, locks and clocks; the wider suites wait half of the time. */
const AT_ONCE = availableParallelism() + (isWider ? 2 : 1);
/** What a file may open on the shared database server: three nodes of some twenty each, twice while they are replaced. */
const FILE_CONNECTIONS = 120;
/** These start and stop processes, and wait for them: one process of a section begins with them. */
const WAITING = /^test\/(commands|faults|clients)\//;
/** These compute for long: the other processes begin with them. */
const LONG = /^test\/(laws|behaviours)\//;
/** What takes long in the wider suites, the longest last: it begins first. */
const LONGEST = ['pages', 'image', 'installed', 'fuzz', 'crash', 'reference-examples', 'operate', 'backups'];
/** Longer than all files of a section take. */
const TIMEOUT_MS = 3_600_000;

/** Files that run with the same environment, and are reported under one title. */
interface Section {
  readonly title: string;
  /** Each file has a process of its own. */
  readonly isApart?: boolean;
  readonly files: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** In every program, a key of statements that stands for two of them is a failure. */
const KEY_CHECK = `const { checkStatementKeys } = await import(${moduleNamed('statement-keys')});
checkStatementKeys();`;

/** The address of a module of the rig, as a string of a program. */
function moduleNamed(name: string): string {
  return JSON.stringify(pathToFileURL(resolve(`test/rig/${name}.ts`)).href);
}

/**
 * Writes the programs of processes that share the files of a section: loading the whole program takes longer than most files.
 * @returns the programs, and the folder in which they note what they take.
 */
function programsOf({ title, files, environment }: Section): { programs: readonly string[]; folder: string } {
  const folder = mkdtempSync(join(compiled, 'section-'));
  const place = (file: string): number => (WAITING.test(file) ? 0 : LONG.test(file) ? 2 : 1);
  const ordered = [...files].sort((one, other) => place(one) - place(other));
  const settings = `Object.assign(process.env, ${JSON.stringify(environment)});`;
  const section = JSON.stringify({ title, files: ordered, folder });
  const programs = Array.from({ length: Math.min(files.length, replies === undefined ? AT_ONCE : 1) }, (_, at) => {
    const program = join(folder, `${at}.mjs`);
    const lines = [
      `import ${moduleNamed('followed-promises')};`,
      settings,
      KEY_CHECK,
      `const { runShared } = await import(${moduleNamed('shared-files')});`,
      `await runShared(${section}, ${at > 0});`,
    ];
    writeFileSync(program, `${lines.join('\n')}\n`);
    return program;
  });
  return { programs, folder };
}

/** Runs all sections: as soon as a process has no file left, the first of the next section starts. */
async function runSections(sections: readonly Section[]): Promise<void> {
  // The wider suites change machines and measure memory: each file has a process of its own.
  const apart = sections.flatMap((each) =>
    each.isApart ? each.files.map((file) => ({ ...each, files: [file] })) : [each],
  );
  const rank = ({ files: [file] }: Section): number => LONGEST.findIndex((part) => file?.includes(part));
  const parts = isWider ? apart.sort((one, other) => rank(other) - rank(one)) : apart;
  const shared = parts.map((part) => ({ ...part, ...programsOf(part) }));
  const stream = run({ files: shared.flatMap(({ programs }) => programs), concurrency: AT_ONCE, timeout: TIMEOUT_MS });
  /** Failures of the file whose results are arriving; its own result comes last and names it. */
  let pending: string[] = [];
  const ended = ({ name, nesting, details }: TestEvent): void => {
    if (nesting > 0 || !/: test\//.test(name)) return;
    times.set(name, details.duration_ms / 1000);
    failures.push(...pending.map((failure) => `${name}: ${failure}`));
    pending = [];
  };
  stream.on('test:pass', (event) => {
    ended(event);
    if (isCounted(event)) passed++;
  });
  stream.on('test:fail', (event) => {
    // A suite that fails by itself, not with one of its tests, failed in a hook.
    const { failureType } = event.details.error as { failureType?: string };
    if (isCounted(event) || failureType !== 'subtestsFailed') {
      failed++;
      pending.push(`${event.name}${placeOf(event)}\n${String(event.details.error.cause ?? event.details.error)}`);
    }
    ended(event);
  });
  const output = new Writable({
    write(chunk, _, done) {
      process.stdout.write(chunk, () => done());
    },
  });
  await new Promise<void>((resolve) => {
    stream.compose(spec).pipe(output).on('finish', resolve);
  });
  // A process that failed before its first suite ended.
  failures.push(...pending);
  for (const { title, files, folder } of shared) {
    for (const name of files.map((file) => `${title}: ${file}`)) {
      if (times.has(name)) continue;
      failed++;
      failures.push(`${name} did not run to its end`);
    }
    for (const [name, seconds] of linesIn(join(folder, 'file-seconds'))) fileTimes.set(name!, Number(seconds));
    const spent = linesIn(join(folder, 'processor-seconds'));
    if (spent.length === 0) continue;
    const sum = spent.reduce((total, [each]) => total + Number(each), 0);
    processorTimes.set(title, (processorTimes.get(title) ?? 0) + sum);
  }
}

/** The lines that processes have noted, each in its columns. */
function linesIn(file: string): string[][] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => line.split('\t'));
}

function placeOf({ file, line }: { readonly file?: string; readonly line?: number }): string {
  return file === undefined || file.startsWith(compiled) ? '' : ` (${relative('.', file)}:${line})`;
}

function reportUnseen(engine: string, ...ledgers: readonly string[]): void {
  const unseen = unseenBy(operations, ...ledgers);
  if (unseen.length === 0) return;
  failed += 1;
  process.stdout.write(`\nOn ${engine} no test has seen:\n${unseen.map((each) => `  ${each}\n`).join('')}`);
}

/** A secret in a log is a failure. Its kind and the line are told, the logs are kept to be looked at. */
function reportLeaks(engine: string, logs: string): void {
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

function reportMost(what: string, seconds: ReadonlyMap<string, number>): void {
  const most = [...seconds].sort(([, a], [, b]) => b - a).slice(0, SLOWEST);
  process.stdout.write(`\n${what}:\n`);
  for (const [file, each] of most) process.stdout.write(`  ${each.toFixed(1).padStart(6)}  ${file}\n`);
}

interface TestEvent {
  readonly name: string;
  readonly nesting: number;
  readonly details: { readonly duration_ms: number };
}

function isCounted(event: { details: { type?: string }; skip?: unknown; todo?: unknown }): boolean {
  return event.details.type !== 'suite';
}

/** Files on a database, with a ledger and a folder for logs of their own. */
function sectionOn(
  engine: string,
  title: string,
  files: readonly string[],
  ledgers: string,
  nodeCount = nodes,
): Section {
  const isApart = isWider && title !== BALANCED && title !== IN_FOREIGN_WORDS;
  const environment = {
    TEST_DATABASE: engine,
    ...(validators !== undefined && !isApart && { TEST_VALIDATORS: validators }),
    ...(nodeCount !== undefined && { TEST_NODES: nodeCount }),
    ...((hasAliases || title === IN_FOREIGN_WORDS) && { TEST_ALIASES: join(compiled, 'aliases.json') }),
    ...(replies !== undefined && { TEST_REPLIES: replies }),
    TEST_LEDGER: mkdtempSync(join(ledgers, engine)),
    TEST_LOGS: mkdtempSync(join(tmpdir(), `barker-logs-${engine}-`)),
  };
  return { title, files, environment, isApart };
}

keepDescription(compiled);
// As they are now, and not when the packages were installed.
execFileSync(process.execPath, ['build/islands.js']);
if (isWider || hasAliases) keepAliasFile(compiled);
// A process that runs one file needs few of them.
const validators = isWhole || (isWider && wanted.length === 0) ? keepValidators(compiled) : undefined;
if (others.some((file) => readFileSync(file, 'utf8').includes('rig/tarball.ts'))) packTarball(compiled);
const engines = ['sqlite', 'postgres'].filter((name) => !only || name === only);
const needsServer = only !== 'sqlite' || COMPARING.some((file) => onDatabases.includes(file));
const hasDatabases = others.length + onNodes.length + inForeignWords.length > 0;
const server =
  hasDatabases && needsServer
    ? await startPostgres({ isHasty: true, connections: AT_ONCE * FILE_CONNECTIONS })
    : undefined;
process.env.TEST_POSTGRES_URL = server?.url ?? '';
if (hasDatabases) await createTemplates(compiled, server?.url);
const ledgers = mkdtempSync(join(tmpdir(), 'barker-ledger-'));
try {
  const once = sectionOn(engines[0]!, 'either database', onEither, ledgers);
  const each = engines.map((engine) => {
    const isLast = engine === engines.at(-1);
    const files = onDatabases.filter(
      (file) => (isLast || !COMPARING.includes(file)) && (engine === 'postgres' || !ON_POSTGRES.test(file)),
    );
    return sectionOn(engine, engine, files, ledgers);
  });
  const balanced = sectionOn('postgres', BALANCED, onNodes, ledgers, nodes ?? '2');
  const foreign = sectionOn(engines[0]!, IN_FOREIGN_WORDS, inForeignWords, ledgers);
  const databases = [once, ...each, balanced, foreign].filter(({ files }) => files.length > 0);
  await runSections([...databases.toReversed(), { title: 'units', files: units, environment: {} }]);
  for (const { title, environment } of databases) {
    reportLeaks(title, environment.TEST_LOGS!);
    if (isWhole && title !== once.title) reportUnseen(title, environment.TEST_LEDGER!, once.environment.TEST_LEDGER!);
  }
} finally {
  await server?.stop();
  rmSync(ledgers, { recursive: true, force: true });
}
rmSync(compiled, { recursive: true, force: true });
if (isWhole || isWider) {
  reportMost('The slowest files, in seconds', times);
  reportMost('The files that took most processor seconds', fileTimes);
}
const spent = [...processorTimes].map(([title, seconds]) => `${title} ${seconds.toFixed(0)}`);
process.stdout.write(
  `\nProcessor seconds: ${spent.join(', ')}, all with the database server ${processorSeconds().toFixed(0)}\n`,
);
for (const failure of failures) process.stdout.write(`\n✖ ${failure}\n`);
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
