import { hash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import type { ImportProgress } from '../base/import-progress.ts';
import { InputError } from '../base/input-error.ts';
import type { PeopleImported, PersonOrErrors } from '../features/audiences/import/import-people.ts';
import type { PostsImported } from '../features/keywords/import/import-posts.ts';
import { runRecorded } from './command-record.ts';
import { CommandFailed } from './failure.ts';
import { printError, printFields } from './output.ts';
import { onDatabase } from './setting-options.ts';
import { openCommandRuntime } from './units-of-work.ts';

/** `barker import`: people and posts from files. */
export function importCommand(command: Command): void {
  const people = command.command('people').description('Import people into the directory, or update them');
  onDatabase(people, 'import people people.ndjson')
    .argument('<file>', '.ndjson, .csv, .tsv or .txt; docs/operate.md lists the columns')
    .action((file: string) => runPeopleImport(people, file));
  const posts = command.command('posts').description('Import posts for keyword insights and audience estimates');
  onDatabase(posts, 'import posts posts.ndjson', ['keyword_retention_days'])
    .argument('<file>', '.ndjson with id, text, created_at and optionally country, language, user')
    .action((file: string) => runPostsImport(posts, file));
}

/** Maximum number of rejected records whose errors are printed. @source decision 302 */
const ERRORS_MAX = 20;

async function runPeopleImport(command: Command, file: string): Promise<void> {
  const { readPeopleFile } = await import('../features/audiences/import/people-file.ts');
  const { parsePerson } = await import('../features/audiences/import/person-record.ts');
  const { importPeople } = await import('../features/audiences/import/import-people.ts');
  const { withDirectory } = await import('../app/audience-files.ts');
  const { printProgress, sourceNameOf } = await import('./import.ts');
  const records = readPeopleFile(file);
  const name = sourceNameOf(file);
  const runtime = await openCommandRuntime(command);
  const now = Math.floor(runtime.clock.now() / 1000);
  async function* people(): AsyncGenerator<PersonOrErrors> {
    for await (const read of records) {
      const parsed = 'error' in read ? [read.error] : parsePerson(read.record, now);
      yield 'user_id' in parsed ? parsed : { line: read.line, errors: parsed };
    }
  }
  try {
    const imported = await runRecorded(command, runtime, (addTarget) => {
      addTarget('people');
      return withDirectory(runtime, (directory) =>
        importPeople({ ...runtime, directory }, { name, people }, printProgress(ERRORS_MAX, 'people')),
      );
    });
    report(file, imported);
  } catch (error) {
    if (error instanceof InputError) throw new CommandFailed(`${file}: ${error.message}`, 2);
    throw error;
  } finally {
    await runtime.store.close();
  }
}

async function runPostsImport(command: Command, file: string): Promise<void> {
  const { readPostsFile } = await import('../features/keywords/import/posts-file.ts');
  const { importPosts } = await import('../features/keywords/import/import-posts.ts');
  const { printProgress, sourceNameOf } = await import('./import.ts');
  // Fails on a wrong file name before the database is opened.
  readPostsFile(file, 0);
  const name = sourceNameOf(file);
  const runtime = await openCommandRuntime(command);
  try {
    const posts = () => readPostsFile(file, Math.floor(runtime.clock.now() / 1000));
    const imported = await runRecorded(command, runtime, (addTarget) => {
      addTarget('posts');
      return importPosts(runtime, { name, posts }, printProgress(ERRORS_MAX, 'posts'));
    });
    report(file, imported);
  } finally {
    await runtime.store.close();
  }
}

function report(file: string, imported: PeopleImported | PostsImported): void {
  printFields(Object.fromEntries(Object.entries(imported).map(([what, count]) => [what, String(count)])));
  if (imported.refused > 0)
    throw new CommandFailed(`${file}: ${imported.refused} records were rejected, all others imported`);
}

/** How often progress is printed, in records. */
const STEP = 10_000;

/**
 * Prints the progress of an import on stderr, and the errors of the first `errorsMax` rejected records.
 * @source decision 302
 */
export function printProgress(errorsMax: number, what: 'people' | 'posts'): ImportProgress {
  let rejected = 0;
  let next = STEP;
  return {
    stored(records) {
      if (records < next) return;
      next = records - (records % STEP) + STEP;
      printError(`${records.toLocaleString('en')} ${what}\n`);
    },
    rejected(place, errors) {
      rejected += 1;
      if (rejected <= errorsMax)
        printError(`${what === 'people' ? 'line' : 'record'} ${place}: ${errors.join('; ')}\n`);
      if (rejected === errorsMax + 1) printError('further rejected records are only counted\n');
    },
  };
}

/** The name under which the progress of a file is stored; it changes when the file does. */
export function sourceNameOf(path: string): string {
  const { size, mtimeMs } = statSync(path);
  return `file:${hash('sha256', `${realpathSync(path)}\n${size}\n${mtimeMs}`).slice(0, 32)}`;
}
