import { hash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import { withDirectory } from '../app/derived-files.ts';
import type { ImportProgress } from '../base/import-progress.ts';
import { InputError } from '../base/input-error.ts';
import { importPeople, type PeopleImported, type PersonOrErrors } from '../features/audiences/import/import-people.ts';
import { readPeopleFile } from '../features/audiences/import/people-file.ts';
import { parsePerson } from '../features/audiences/import/person-record.ts';
import { importPosts, type PostsImported } from '../features/keywords/import/import-posts.ts';
import { readPostsFile } from '../features/keywords/import/posts-file.ts';
import { runRecorded } from './command-record.ts';
import { CommandFailed, UsageError } from './failure.ts';
import { printError, printFields } from './output.ts';
import { databaseCommand } from './setting-options.ts';
import { withRuntime } from './units-of-work.ts';

/** `barker import`: people and posts from files. */
export function configure(command: Command): void {
  const about = 'Import people into the directory, or update them';
  databaseCommand(command, 'people', about, 'people.ndjson', importPeopleFile).argument(
    '<file>',
    '.ndjson, .csv, .tsv or .txt; docs/operate.md lists the columns',
  );
  const posts = 'Import posts for keyword insights and audience estimates';
  databaseCommand(command, 'posts', posts, 'posts.ndjson', importPostsFile, ['keyword_retention_days']).argument(
    '<file>',
    '.ndjson with id, text, created_at and optionally country, language, user',
  );
}

/** Maximum number of rejected records whose errors are printed. @source decision 302 */
const ERRORS_MAX = 20;

async function importPeopleFile(command: Command, file: string): Promise<void> {
  const records = readPeopleFile(file);
  const name = sourceNameOf(file);
  try {
    const imported = await withRuntime(command, (runtime) => {
      const now = Math.floor(runtime.clock.now() / 1000);
      async function* people(): AsyncGenerator<PersonOrErrors> {
        for await (const read of records) {
          const parsed = 'error' in read ? [read.error] : parsePerson(read.record, now);
          yield 'user_id' in parsed ? parsed : { line: read.line, errors: parsed };
        }
      }
      return runRecorded(command, runtime, (addTarget) => {
        addTarget('people');
        return withDirectory(runtime, (directory) =>
          importPeople({ ...runtime, directory }, { name, people }, printProgress(ERRORS_MAX, 'people')),
        );
      });
    });
    report(file, imported);
  } catch (error) {
    if (error instanceof InputError) throw new UsageError(`${file}: ${error.message}`);
    throw error;
  }
}

async function importPostsFile(command: Command, file: string): Promise<void> {
  // Fails on a wrong file name before the database is opened.
  readPostsFile(file, 0);
  const name = sourceNameOf(file);
  const imported = await withRuntime(command, (runtime) => {
    const posts = () => readPostsFile(file, Math.floor(runtime.clock.now() / 1000));
    return runRecorded(command, runtime, (addTarget) => {
      addTarget('posts');
      return importPosts(runtime, { name, posts }, printProgress(ERRORS_MAX, 'posts'));
    });
  });
  report(file, imported);
}

function report(file: string, imported: PeopleImported | PostsImported): void {
  printFields({ ...imported });
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

/** The key of the stored progress of a file; it changes when the file does. */
function sourceNameOf(path: string): string {
  const { size, mtimeMs } = statSync(path);
  return `file:${hash('sha256', `${realpathSync(path)}\n${size}\n${mtimeMs}`).slice(0, 32)}`;
}
