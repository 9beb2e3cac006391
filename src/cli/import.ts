import type { Command } from 'commander';
import { CsvBroken } from '../base/csv.ts';
import { commandGround } from './command-ground.ts';
import { recorded } from './command-record.ts';
import { CommandFailed } from './failure.ts';
import type { PersonSaid, TakenIn } from './people/take-in.ts';
import type { PostsTakenIn } from './posts/take-in.ts';
import { tell } from './registering.ts';
import { addSettings } from './setting-options.ts';

/** `barker import`: takes in what an operator has elsewhere. */
export function importCommand(command: Command): void {
  const people = command.command('people').description('Take people into the directory, or change those who are there');
  addSettings(people, 'serve', ['data_folder', 'database_url'])
    .argument('<file>', '.ndjson or .csv; docs/operate.md has its columns')
    .addHelpText('after', '\nExample:\n  barker import people people.ndjson')
    .action((file: string) => importPeople(people, file));
  const posts = command.command('posts').description('Take posts in that keyword insights and estimates count');
  addSettings(posts, 'serve', ['data_folder', 'database_url', 'keyword_retention_days'])
    .argument('<file>', '.ndjson: id, text, created_at, and where known country, language, user')
    .addHelpText('after', '\nExample:\n  barker import posts posts.ndjson')
    .action((file: string) => importPosts(posts, file));
}

/** So many records are told of that were refused. */
const TOLD_MAX = 20;

async function importPeople(command: Command, file: string): Promise<void> {
  const { recordsOf, sourceOf } = await import('./people/file.ts');
  const { readRecord } = await import('./people/record.ts');
  const { takeIn } = await import('./people/take-in.ts');
  const { telling } = await import('./people/telling.ts');
  const records = recordsOf(file);
  const name = sourceOf(file);
  const ground = await commandGround(command);
  const now = Math.floor(ground.clock.now() / 1000);
  async function* people(): AsyncGenerator<PersonSaid> {
    for await (const record of records) yield typeof record === 'string' ? [record] : readRecord(record, now);
  }
  try {
    const taken = await recorded(command, ground, (touched) => {
      touched('people');
      return takeIn(ground, { name, people }, telling(TOLD_MAX));
    });
    report(file, taken);
  } catch (error) {
    if (error instanceof CsvBroken) throw new CommandFailed(`${file}: ${error.message}`, 2);
    throw error;
  } finally {
    await ground.store.close();
  }
}

function report(file: string, taken: TakenIn | PostsTakenIn): void {
  tell(Object.fromEntries(Object.entries(taken).map(([what, count]) => [what, String(count)])));
  if (taken.refused > 0) throw new CommandFailed(`${file}: ${taken.refused} records were refused, all others taken in`);
}

async function importPosts(command: Command, file: string): Promise<void> {
  const { sourceOf } = await import('./people/file.ts');
  const { telling } = await import('./people/telling.ts');
  const { postsOf } = await import('./posts/file.ts');
  const { takePostsIn } = await import('./posts/take-in.ts');
  // What is no such file is told before anything is opened.
  postsOf(file, 0);
  const name = sourceOf(file);
  const ground = await commandGround(command);
  try {
    const posts = () => postsOf(file, Math.floor(ground.clock.now() / 1000));
    const taken = await recorded(command, ground, (touched) => {
      touched('posts');
      return takePostsIn(ground, { name, posts }, telling(TOLD_MAX, 'posts'));
    });
    report(file, taken);
  } finally {
    await ground.store.close();
  }
}
