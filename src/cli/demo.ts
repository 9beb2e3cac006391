import { closeSync, openSync, writeSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import type { Runtime } from '../app/database.ts';
import type { CorpusPost } from '../contract/store/corpus.ts';
import type { Person } from '../contract/store/directory.ts';
import { runRecorded } from './command-record.ts';
import { printFields } from './output.ts';
import { onDatabase } from './setting-options.ts';
import { openCommandRuntime } from './units-of-work.ts';

/** `barker demo`: generates sample data. */
export function demoCommand(command: Command): void {
  const population = command.command('population').description('Generate sample people in the directory');
  onDatabase(population, 'demo population --users 100000 --csv people.csv')
    .requiredOption('--users <n>', 'Number of people', wholeNumber)
    .option('--population-seed <n>', 'Random seed', wholeNumber, 1)
    .option('--csv <file>', 'Also write plaintext identifiers to a CSV file, for audience uploads')
    .action(() => makePopulation(population));
  const posts = command.command('posts').description('Generate sample posts for keyword insights');
  onDatabase(posts, 'demo posts --count 100000')
    .requiredOption('--count <n>', 'Number of posts', wholeNumber)
    .option('--days <n>', 'Spread over the last days', severalDays, 7)
    .option('--posts-seed <n>', 'Random seed', wholeNumber, 1)
    .action(() => makePosts(posts));
}

const MADE_MAX = 100_000_000;
const DAYS_MAX = 3650;

function wholeNumber(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number <= MADE_MAX) return number;
  throw new InvalidArgumentError(`expected a whole number up to ${MADE_MAX}`);
}

function severalDays(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= DAYS_MAX) return number;
  throw new InvalidArgumentError(`expected a whole number from 1 to ${DAYS_MAX}`);
}

async function makePopulation(command: Command): Promise<void> {
  const { users, populationSeed: seed, csv } = command.opts();
  const { samplePeople } = await import('../dev/samples/sample-people.ts');
  const { importPeople } = await import('../features/audiences/import/import-people.ts');
  const { withDirectory } = await import('../app/audience-files.ts');
  const { printProgress } = await import('./import.ts');
  const runtime = await openCommandRuntime(command);
  const file = csv === undefined ? undefined : openSync(csv, 'w', 0o600);
  try {
    const now = Math.floor(runtime.clock.now() / 1000);
    const made = samplePeople({ seed, users, registered: await registeredUsers(runtime), now });
    function* people(): Generator<Person> {
      if (file !== undefined) writeSync(file, 'user_id,email,phone_number,handle,device_id\n');
      for (let number = 0; number < users; number++) {
        const { person, known } = made(number);
        if (file !== undefined) writeSync(file, `${[person.user_id, ...Object.values(known)].join(',')}\n`);
        yield person;
      }
    }
    const taken = await runRecorded(command, runtime, (addTarget) => {
      addTarget('people');
      return withDirectory(runtime, (directory) =>
        importPeople(
          { ...runtime, directory },
          { name: `population:${seed}:${users}`, people },
          printProgress(0, 'people'),
        ),
      );
    });
    printFields({ added: String(taken.added), changed: String(taken.changed), people: String(taken.people) });
  } finally {
    if (file !== undefined) closeSync(file);
    await runtime.store.close();
  }
}

/** Posts that are generated and imported at once. */
const AT_ONCE = 10_000;
const HOUR_S = 3600;

async function makePosts(command: Command): Promise<void> {
  const { count, days, postsSeed: seed } = command.opts();
  const { samplePosts } = await import('../dev/samples/sample-posts.ts');
  const { importPosts } = await import('../features/keywords/import/import-posts.ts');
  const { printProgress } = await import('./import.ts');
  const runtime = await openCommandRuntime(command);
  try {
    // Rounded to an hour, so that a rerun within it generates the same posts and resumes the import.
    const end = Math.floor(runtime.clock.now() / 1000 / HOUR_S) * HOUR_S;
    const { people } = await runtime.store.read((tx) => tx.directory.findState());
    const made = samplePosts({ seed, count, days, end, people });
    function* posts(): Generator<CorpusPost[]> {
      for (let from = 0; from < count; from += AT_ONCE) {
        yield Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, index) => made(from + index));
      }
    }
    const name = `posts:${seed}:${count}:${days}:${end}:${people}`;
    const { added, known, expired } = await runRecorded(command, runtime, (addTarget) => {
      addTarget('posts');
      return importPosts(runtime, { name, posts }, printProgress(0, 'posts'));
    });
    printFields({ added: String(added), known: String(known), expired: String(expired) });
  } finally {
    await runtime.store.close();
  }
}

/** The number of earliest registered users whom some of the people follow. */
const FOLLOWED_MAX = 20;

async function registeredUsers(runtime: Runtime): Promise<string[]> {
  const { FIRST_USER_ID: FIRST_USER } = await import('../features/platform/registration.ts');
  const ids = Array.from({ length: FOLLOWED_MAX }, (_, index) => String(Number(FIRST_USER) + index));
  const found = await runtime.store.read((tx) => tx.credentials.findScreenNames(ids));
  return ids.filter((id) => found.has(id));
}
