import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { appendFileSync, existsSync, globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CACHE } from '../rig/cache.ts';
import { openEnvironment } from '../rig/environment.ts';
import { readSights } from '../rig/sight.ts';
import { type Mutant, mutantsOf } from './operators.ts';
import { ROOMS } from './rooms.ts';
import { openTree, type Seer, type Tree } from './trees.ts';

const USAGE = `npm run mutants -- ROOM... [options]

Changes the source at random places, and tells which changes no test notices. A ROOM is a pattern of source files, or one of
${Object.keys(ROOMS).join(', ')}. First each mutant is tried alone, with the tests that call its function, the likeliest
to notice first; then all that are left are tried together with all tests. \`npm test -- --sight\` must have run before.

  --sample N        how many mutants of each room are tried; 40 unless given
  --seed S          which of them
  --seconds T       the processor seconds of the tests that each is tried alone with; 30 unless given
  --resume          takes over which mutants earlier runs have found to be noticed
  --tier TIER       the tests that those left are tried with: short, or full without the wider suites; none ends before
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '30' },
    resume: { type: 'boolean', default: false },
    tier: { type: 'string', default: 'short' },
    help: { type: 'boolean', default: false },
  },
});
const sights = readSights();
if (sights.length === 0)
  process.stderr.write('the calls of each file of tests are needed: run `npm test -- --sight` first\n');
if (values.help || positionals.length === 0 || sights.length === 0) {
  process.stdout.write(USAGE);
  process.exit(values.help ? 0 : 2);
}

/** What a file of tests may open on the database server. */
const CONNECTIONS = 400;
/** Sections whose tests the short run has. */
const TITLES = ['sqlite', 'postgres'];

type State = 'noticed alone' | 'noticed together' | 'left';
interface Tried {
  readonly room: string;
  readonly mutant: Mutant;
  state: State;
}

/** Where the keys of noticed mutants are kept, a line each. */
const NOTICED_FILE = join(CACHE, 'noticed-mutants');
const formerly = new Set(
  values.resume && existsSync(NOTICED_FILE) ? readFileSync(NOTICED_FILE, 'utf8').split('\n') : [],
);

/** What a mutant is, as long as its file stays as it is. */
function keyOf({ file, start, end, replacement }: Mutant): string {
  return hash('sha1', JSON.stringify([file, readFileSync(file, 'utf8'), start, end, replacement]));
}

function markNoticed(each: Tried, state: State): void {
  each.state = state;
  appendFileSync(NOTICED_FILE, `${keyOf(each.mutant)}\n`);
}

/** The mutants of a room that the seed chooses. */
function drawn(room: string): Tried[] {
  const files = globSync(ROOMS[room] ?? room);
  const all = files.flatMap((file) => mutantsOf(file, readFileSync(file, 'utf8')));
  const draw = ({ file, start, replacement }: Mutant): string =>
    hash('sha1', `${values.seed} ${file} ${start} ${replacement}`);
  const ordered = all.map((mutant) => ({ mutant, at: draw(mutant) })).sort((a, b) => (a.at < b.at ? -1 : 1));
  return ordered
    .slice(0, Number(values.sample))
    .map(({ mutant }) => ({ room, mutant, state: formerly.has(keyOf(mutant)) ? 'noticed alone' : 'left' }));
}

/** Whether files of tests that have failed with a mutant pass in a tree without one. */
const sound = new Map<string, boolean>();

/** How many mutants of a room each file of tests has noticed. */
const noticed = new Map<string, number>();
const noticedBy = (room: string, { title, file }: Pick<Seer, 'title' | 'file'>): number =>
  noticed.get(`${room} ${title} ${file}`) ?? 0;

/**
 * The tests that call the function of a mutant, or else any of its file: first those that have noticed most mutants of the
 * room, then the most specific.
 */
function seersOf({ room, mutant: { file, functions } }: Tried): Seer[] {
  const inFile = sights.filter(({ called, title }) => file in called && TITLES.includes(title));
  const [inner] = functions;
  const exact = inFile.filter(({ called }) => inner !== undefined && called[file]!.includes(inner));
  return (exact.length > 0 ? exact : inFile)
    .toSorted((one, other) => one.breadth - other.breadth)
    .map(({ title, file, seconds }) => ({ title: title as Seer['title'], file, seconds }))
    .sort((one, other) => noticedBy(room, other) - noticedBy(room, one));
}

/** As many of the first as take some seconds together; one at least. */
function upTo(seconds: number, seers: readonly Seer[]): Seer[] {
  let sum = 0;
  return seers.filter((seer, index) => {
    sum += seer.seconds;
    return index === 0 || sum <= seconds;
  });
}

/** Works on all of some things, as many at once as there are trees. */
async function inTrees<T>(trees: readonly Tree[], things: readonly T[], work: (tree: Tree, thing: T) => Promise<void>) {
  const waiting = [...things];
  await Promise.all(
    trees.map(async (tree) => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(tree, next);
    }),
  );
}

/** Mutants that can be in the source together: none within another. */
function apart(tried: readonly Tried[]): Tried[] {
  return tried.filter(({ mutant }, index) =>
    tried
      .slice(0, index)
      .every(({ mutant: { file, start, end } }) => file !== mutant.file || end <= mutant.start || mutant.end <= start),
  );
}

/** Runs all tests of a tier in a tree; returns the files that fail. */
function failingIn(tree: Tree, tier: string): Seer[] {
  const names = tier === 'full' ? ['.test.ts'] : [];
  const args = ['test/run.ts', ...names, `--tier=${tier}`, `--seed=${values.seed}`];
  const { stdout } = spawnSync(process.execPath, args, { cwd: tree.root, encoding: 'utf8', maxBuffer: 1e9 });
  if (!/^\d+ passed, \d+ failed$/m.test(stdout)) throw new Error(`the tests did not run to their end:\n${stdout}`);
  const found = new Map<string, Seer>();
  for (const [, title, file] of stdout.matchAll(/^✖ ([a-z ]+): (test\/\S+\.ts)(?=: | did not)/gm)) {
    found.set(`${title} ${file}`, { title: title === 'postgres' ? 'postgres' : 'sqlite', file: file!, seconds: 60 });
  }
  return [...found.values()];
}

const { folder, close } = await openEnvironment({ connections: CONNECTIONS, hasValidators: true });
process.env.TEST_TIER = 'short';
process.env.TEST_SEED = values.seed;
const trees = Array.from({ length: availableParallelism() }, () => openTree(folder));
const tried = positionals.flatMap(drawn);
try {
  const untried = tried.filter(({ state }) => state === 'left');
  await inTrees(trees, untried, async (tree, each) => {
    const seers = upTo(Number(values.seconds), seersOf(each));
    const seer = await noticing(tree, each, seers);
    if (seer) {
      markNoticed(each, 'noticed alone');
      noticed.set(`${each.room} ${seer.title} ${seer.file}`, noticedBy(each.room, seer) + 1);
    }
    process.stdout.write(`${seer ? `✔ ${nameOf(each)} by ${seer.file}` : `? ${nameOf(each)}`} of ${seers.length}\n`);
  });
  if (values.tier !== 'none') await tryTogether();
} finally {
  for (const tree of trees) tree.remove();
  await close();
}
report();

/** The first file whose tests fail with a mutant, and do not fail without it. */
async function noticing(tree: Tree, { mutant }: Tried, seers: readonly Seer[]): Promise<Seer | undefined> {
  let some = seers;
  for (;;) {
    tree.mutate([mutant]);
    const seer = await tree.failing(some);
    if (seer === undefined) return undefined;
    const name = `${seer.title} ${seer.file}`;
    if (!sound.has(name)) {
      tree.mutate([]);
      sound.set(name, (await tree.failing([seer])) === undefined);
    }
    if (sound.get(name)) return seer;
    some = some.filter((other) => other !== seer);
  }
}

/** Tries all that are left together, and finds out whose fault each failure is, until none fails. */
async function tryTogether(): Promise<void> {
  process.env.TEST_TIER = values.tier;
  const [first] = trees as [Tree];
  for (;;) {
    const left = apart(tried.filter(({ state }) => state === 'left'));
    if (left.length === 0) return;
    first.mutate(left.map(({ mutant }) => mutant));
    const failing = failingIn(first, values.tier);
    process.stdout.write(
      `${left.length} together: ${failing.length} files fail${failing.map(({ file }) => `\n  ${file}`).join('')}\n`,
    );
    if (failing.length === 0) return;
    let isAnyNoticed = false;
    await inTrees(trees, failing, async (tree, seer) => {
      const isSeen = (each: Tried): boolean =>
        seersOf(each).some(({ title, file }) => title === seer.title && file === seer.file);
      // Functions that a file calls in processes of its own are unknown.
      for (const some of [left.filter(isSeen), left.filter((each) => !isSeen(each))]) {
        let isExplained = false;
        for (const each of some.filter(({ state }) => state === 'left')) {
          if (!(await noticing(tree, each, [seer]))) continue;
          markNoticed(each, 'noticed together');
          isExplained = true;
          process.stdout.write(`✔ ${nameOf(each)} by ${seer.title}: ${seer.file}\n`);
        }
        isAnyNoticed ||= isExplained;
        if (isExplained) return;
      }
    });
    if (!isAnyNoticed) {
      process.stdout.write('No mutant alone makes these files fail\n');
      return;
    }
  }
}

function nameOf({ mutant: { file, line, operator, start, end, replacement } }: Tried): string {
  const was = readFileSync(file, 'utf8').slice(start, end).replace(/\s+/g, ' ').slice(0, 60);
  return `${file}:${line} ${operator}: ${was} -> ${replacement.slice(0, 60)}`;
}

function report(): void {
  process.stdout.write('\nLeft:\n');
  for (const each of tried.filter(({ state }) => state === 'left')) process.stdout.write(`  ${nameOf(each)}\n`);
  process.stdout.write('\nroom        mutants  alone  together  left  score\n');
  for (const [room, some] of Map.groupBy(tried, (each) => each.room)) {
    const count = (state: State): number => some.filter((each) => each.state === state).length;
    const numbers = [count('noticed alone'), count('noticed together'), count('left')] as const;
    const score = `${Math.round((1 - numbers[2] / some.length) * 100)} %`;
    const columns = [some.length, ...numbers].map((each, at) => String(each).padStart([9, 7, 10, 6][at]!));
    process.stdout.write(`${room.padEnd(10)}${columns.join('')}${score.padStart(7)}\n`);
  }
}
