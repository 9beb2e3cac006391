import { closeSync, openSync, writeSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import type { Runtime } from '../app/database.ts';
import { withDirectory } from '../app/derived-files.ts';
import type { CorpusPost } from '../contract/store/corpus.ts';
import type { Person } from '../contract/store/directory.ts';
import { samplePeople } from '../dev/samples/sample-people.ts';
import { samplePosts } from '../dev/samples/sample-posts.ts';
import { importPeople } from '../features/audiences/import/import-people.ts';
import { importPosts } from '../features/keywords/import/import-posts.ts';
import { FIRST_USER_ID } from '../features/platform/registration.ts';
import { runRecorded } from './command-record.ts';
import { printProgress } from './import.ts';
import { printFields } from './output.ts';
import { databaseCommand } from './setting-options.ts';
import { withRuntime } from './units-of-work.ts';

/** `barker demo`: generates sample data. */
export function configure(command: Command): void {
  const example = '--users 100000 --csv people.csv';
  databaseCommand(command, 'population', 'Generate sample people in the directory', example, generatePeople)
    .requiredOption('--users <n>', 'Number of people', wholeNumber)
    .option('--population-seed <n>', 'Random seed', wholeNumber, 1)
    .option('--csv <file>', 'Also write plaintext identifiers to a CSV file, for audience uploads');
  databaseCommand(command, 'posts', 'Generate sample posts for keyword insights', '--count 100000', generatePosts)
    .requiredOption('--count <n>', 'Number of posts', wholeNumber)
    .option('--days <n>', 'Spread over the last days', daysNumber, 7)
    .option('--posts-seed <n>', 'Random seed', wholeNumber, 1);
}

const GENERATED_MAX = 100_000_000;

function parseNumber(text: string, min: number, max: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= min && number <= max) return number;
  throw new InvalidArgumentError(`expected a whole number ${min === 0 ? 'up' : `from ${min}`} to ${max}`);
}

const wholeNumber = (text: string): number => parseNumber(text, 0, GENERATED_MAX);
const daysNumber = (text: string): number => parseNumber(text, 1, 3650);

async function generatePeople(command: Command): Promise<void> {
  const { users, populationSeed: seed, csv } = command.opts();
  const file = csv === undefined ? undefined : openSync(csv, 'w', 0o600);
  try {
    const imported = await withRuntime(command, async (runtime) => {
      const now = Math.floor(runtime.clock.now() / 1000);
      const personAt = samplePeople({ seed, users, registered: await registeredUsers(runtime), now });
      function* people(): Generator<Person> {
        if (file !== undefined) writeSync(file, 'user_id,email,phone_number,handle,device_id\n');
        for (let number = 0; number < users; number++) {
          const { person, known } = personAt(number);
          if (file !== undefined) writeSync(file, `${[person.user_id, ...Object.values(known)].join(',')}\n`);
          yield person;
        }
      }
      const source = { name: `population:${seed}:${users}`, people };
      return runRecorded(command, runtime, (addTarget) => {
        addTarget('people');
        return withDirectory(runtime, (directory) =>
          importPeople({ ...runtime, directory }, source, printProgress(0, 'people')),
        );
      });
    });
    const { added, changed, people } = imported;
    printFields({ added, changed, people });
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Posts per batch of the import. */
const AT_ONCE = 10_000;
const HOUR_S = 3600;

async function generatePosts(command: Command): Promise<void> {
  const { count, days, postsSeed: seed } = command.opts();
  const { added, known, expired } = await withRuntime(command, async (runtime) => {
    // Rounded to an hour, so that a rerun within it generates the same posts and resumes the import.
    const end = Math.floor(runtime.clock.now() / 1000 / HOUR_S) * HOUR_S;
    const { people } = await runtime.store.read((tx) => tx.directory.findState());
    const postAt = samplePosts({ seed, count, days, end, people });
    function* posts(): Generator<CorpusPost[]> {
      for (let from = 0; from < count; from += AT_ONCE) {
        yield Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, index) => postAt(from + index));
      }
    }
    const name = `posts:${seed}:${count}:${days}:${end}:${people}`;
    return runRecorded(command, runtime, (addTarget) => {
      addTarget('posts');
      return importPosts(runtime, { name, posts }, printProgress(0, 'posts'));
    });
  });
  printFields({ added, known, expired });
}

/** Number of registered users, the earliest first, that sample people follow. */
const FOLLOWED_MAX = 20;

async function registeredUsers(runtime: Runtime): Promise<string[]> {
  const ids = Array.from({ length: FOLLOWED_MAX }, (_, index) => String(Number(FIRST_USER_ID) + index));
  const found = await runtime.store.read((tx) => tx.credentials.findScreenNames(ids));
  return ids.filter((id) => found.has(id));
}
