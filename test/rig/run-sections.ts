import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';

/** Files that run with the same environment, and are reported under one title. */
export interface Section {
  readonly title: string;
  readonly files: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Each file has a process of its own. */
  readonly isApart?: boolean;
  /** At most so many processes share the files. */
  readonly processesMax?: number;
  /** The files run in their order, instead of those first that wait. */
  readonly isInOrder?: boolean;
}

/** What a run has shown so far. */
export interface Results {
  passed: number;
  failed: number;
  /** Failures, repeated at the end: the output of a whole run is long. */
  readonly failures: string[];
  /** How long each file took, in seconds. */
  readonly times: Map<string, number>;
  /** How many processor seconds each file took, with the processes that it started. */
  readonly fileTimes: Map<string, number>;
  /** How many processor seconds the processes of each section took, with those that they started. */
  readonly processorTimes: Map<string, number>;
}

/** Results of a run that has not begun. */
export function noResults(): Results {
  const maps = { times: new Map(), fileTimes: new Map(), processorTimes: new Map() };
  return { passed: 0, failed: 0, failures: [], ...maps };
}

/** These start and stop processes, and wait for them: one process of a section begins with them. */
const WAITING = /^test\/(commands|faults|clients)\//;
/** These compute for long: the other processes begin with them. */
const LONG = /^test\/(laws|behaviours)\//;
/** Longer than all files of a section take. */
const TIMEOUT_MS = 3_600_000;

/** The address of a module of the rig of a checkout, as a string of a program. */
function moduleNamed(name: string, root: string): string {
  return JSON.stringify(pathToFileURL(resolve(root, `test/rig/${name}.ts`)).href);
}

/**
 * Writes the programs of processes that share the files of a section, of the checkout in `root`: loading the whole program
 * takes longer than most files.
 * @returns the programs, and the folder in which they note what they take.
 */
export function programsOf(
  { title, files, environment, processesMax, isInOrder = false }: Section,
  parent: string,
  atOnce: number,
  root = '.',
): { programs: readonly string[]; folder: string } {
  const folder = mkdtempSync(join(parent, 'section-'));
  const place = (file: string): number => (WAITING.test(file) ? 0 : LONG.test(file) ? 2 : 1);
  const ordered = isInOrder ? files : [...files].sort((one, other) => place(one) - place(other));
  const settings = `Object.assign(process.env, ${JSON.stringify(environment)});`;
  const section = JSON.stringify({ title, files: ordered, folder });
  const programs = Array.from({ length: Math.min(files.length, processesMax ?? atOnce, atOnce) }, (_, at) => {
    const program = join(folder, `${at}.mjs`);
    const lines = [
      `import ${moduleNamed('followed-promises', root)};`,
      settings,
      // A key of statements that stands for two of them is a failure.
      `const { checkStatementKeys } = await import(${moduleNamed('statement-keys', root)});`,
      'checkStatementKeys();',
      `const { runShared } = await import(${moduleNamed('shared-files', root)});`,
      `await runShared(${section}, ${at > 0});`,
    ];
    writeFileSync(program, `${lines.join('\n')}\n`);
    return program;
  });
  return { programs, folder };
}

/** Runs all sections: as soon as a process has no file left, the first of the next section starts. */
export async function runSections(
  sections: readonly Section[],
  parent: string,
  atOnce: number,
  results: Results,
): Promise<void> {
  const parts = sections
    .flatMap((each) => (each.isApart ? each.files.map((file) => ({ ...each, files: [file] })) : [each]))
    .filter(({ files }) => files.length > 0);
  if (parts.length === 0) return;
  const shared = parts.map((part) => ({ ...part, ...programsOf(part, parent, atOnce) }));
  const stream = run({
    files: shared.flatMap(({ programs }) => programs),
    concurrency: atOnce,
    timeout: TIMEOUT_MS,
    // Most of what tests make is gone a moment later: with more room, garbage is collected less often.
    execArgv: ['--max-semi-space-size=64'],
  });
  /** Failures of the file whose results are arriving; its own result comes last and names it. */
  let pending: string[] = [];
  const ended = ({ name, nesting, details }: TestEvent): void => {
    if (nesting > 0 || !/: test\//.test(name)) return;
    results.times.set(name, details.duration_ms / 1000);
    results.failures.push(...pending.map((failure) => `${name}: ${failure}`));
    pending = [];
  };
  stream.on('test:pass', (event) => {
    ended(event);
    if (isCounted(event)) results.passed++;
  });
  stream.on('test:fail', (event) => {
    // A suite that fails by itself, not with one of its tests, failed in a hook.
    const { failureType } = event.details.error as { failureType?: string };
    if (isCounted(event) || failureType !== 'subtestsFailed') {
      results.failed++;
      const place = placeOf(event, parent);
      pending.push(`${event.name}${place}\n${String(event.details.error.cause ?? event.details.error)}`);
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
  results.failures.push(...pending);
  for (const { title, files, folder } of shared) {
    for (const name of files.map((file) => `${title}: ${file}`)) {
      if (results.times.has(name)) continue;
      results.failed++;
      results.failures.push(`${name} did not run to its end`);
    }
    for (const [name, seconds] of linesIn(join(folder, 'file-seconds'))) results.fileTimes.set(name!, Number(seconds));
    const spent = linesIn(join(folder, 'processor-seconds'));
    if (spent.length === 0) continue;
    const sum = spent.reduce((total, [each]) => total + Number(each), 0);
    results.processorTimes.set(title, (results.processorTimes.get(title) ?? 0) + sum);
  }
}

interface TestEvent {
  readonly name: string;
  readonly nesting: number;
  readonly details: { readonly duration_ms: number };
}

function isCounted(event: { details: { type?: string }; skip?: unknown; todo?: unknown }): boolean {
  return event.details.type !== 'suite';
}

function placeOf({ file, line }: { readonly file?: string; readonly line?: number }, parent: string): string {
  return file === undefined || file.startsWith(parent) ? '' : ` (${relative('.', file)}:${line})`;
}

/** The lines that processes have noted, each in its columns. */
function linesIn(file: string): string[][] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => line.split('\t'));
}
