import type { Clock } from '../../../base/clock.ts';
import type { ImportProgress } from '../../../base/import-progress.ts';
import { formatInstant } from '../../../base/instants.ts';
import { secureRandom } from '../../../base/random.ts';
import { AUDIENCE_REMATCHING } from '../../../contract/store/audiences.ts';
import type { Person } from '../../../contract/store/directory.ts';
import type { Store } from '../../../contract/store/store.ts';
import { directoryFolder, openDirectory } from '../directory/directory.ts';

/** A person, or the errors of the record in their place. */
export type PersonOrErrors = Person | readonly string[];

/** A source of people that yields the same records in the same order each time. */
export interface PeopleSource {
  /** Progress is stored under this name, so that an interrupted import resumes. */
  readonly name: string;
  people(): AsyncIterable<PersonOrErrors> | Iterable<PersonOrErrors>;
}

/** The result of an import of people. `skipped`: imported by an earlier run that was interrupted. */
export interface PeopleImported {
  readonly added: number;
  readonly changed: number;
  readonly refused: number;
  readonly skipped: number;
  readonly people: number;
}

/** Dependencies of an import of people. */
export interface PeopleImportDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly settings: { readonly data_folder: string };
}

/** People in one unit of work. */
const BATCH = 2000;

/**
 * Imports people into the directory in batches; each is stored together with the progress. Invalid records are reported
 * and skipped. At the end the directory gets a new revision, its index is built, and rematching of audiences is
 * scheduled.
 * @source decision 286, 302, 303
 */
export async function importPeople(
  { store, clock, settings }: PeopleImportDependencies,
  source: PeopleSource,
  progress: ImportProgress,
): Promise<PeopleImported> {
  const skipped = await store.read((tx) => tx.directory.findProgress(source.name));
  const totals = { added: 0, changed: 0, refused: 0 };
  let batch: Person[] = [];
  let done = 0;
  const flush = async (): Promise<void> => {
    if (done <= skipped) return;
    const at = done;
    const { added, changed } = await store.write(async (tx) => {
      await tx.directory.saveProgress(source.name, at);
      return tx.directory.put(batch);
    });
    totals.added += added;
    totals.changed += changed;
    batch = [];
    progress.stored(at);
  };
  for await (const record of source.people()) {
    done += 1;
    if (done <= skipped) continue;
    if (isPerson(record)) batch.push(record);
    else {
      totals.refused += 1;
      progress.rejected(done, record);
    }
    if (done % BATCH === 0) await flush();
  }
  await flush();
  const { people } = await store.write(async (tx) => {
    await tx.directory.clearProgress(source.name);
    return tx.directory.settle(secureRandom.bytes(8).toString('hex'));
  });
  const directory = openDirectory({ store, folder: directoryFolder(settings.data_folder), random: secureRandom });
  try {
    await directory.files();
  } finally {
    await directory.close();
  }
  // Scheduled only after the index exists: otherwise the server would build its own.
  const run_at = formatInstant(clock.now());
  await store.write((tx) => tx.jobs.planNoLaterThan({ kind: AUDIENCE_REMATCHING, key: '', run_at }));
  return { ...totals, skipped, people };
}

function isPerson(record: PersonOrErrors): record is Person {
  return 'user_id' in record;
}
