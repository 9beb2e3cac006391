import type { Clock } from '../../../base/clock.ts';
import type { ImportProgress } from '../../../base/import-progress.ts';
import { formatInstant } from '../../../base/instants.ts';
import { secureRandom } from '../../../base/random.ts';
import { AUDIENCE_REMATCHING } from '../../../contract/store/audiences.ts';
import { FETCHED_WITHIN_S, OBJECT_REMOVAL } from '../../../contract/store/derived-files.ts';
import type { DirectoryIndex, DirectoryState, NewImage, Person } from '../../../contract/store/directory.ts';
import type { Store } from '../../../storage/unit-of-work.ts';

/** A person, or the line and errors of an invalid record. */
export type PersonOrErrors = Person | { readonly line: number; readonly errors: readonly string[] };

/** A source of people that yields the same records in the same order each time. */
interface PeopleSource {
  /** Key of the stored progress, by which an interrupted import resumes. */
  readonly name: string;
  people(): AsyncIterable<PersonOrErrors> | Iterable<PersonOrErrors>;
}

/** The result of an import. `skipped`: records imported by an earlier, interrupted run. */
export interface PeopleImported {
  readonly added: number;
  readonly changed: number;
  readonly refused: number;
  readonly skipped: number;
  readonly people: number;
}

/** Dependencies of an import of people. */
interface PeopleImportDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly directory: Pick<DirectoryIndex, 'begin' | 'build'>;
}

/** Number of people in one unit of work. */
const BATCH = 2000;

/**
 * Imports people into the directory in batches, each stored together with the progress. Invalid records are reported and
 * skipped. Then it builds the image of the new version of the directory, and schedules the rematching of audiences.
 * @source decision 286, 302, 303
 */
export async function importPeople(
  deps: PeopleImportDependencies,
  source: PeopleSource,
  progress: ImportProgress,
): Promise<PeopleImported> {
  const next = await deps.store.read((tx) => tx.directory.findNext(''));
  const image = next.people === 0 ? deps.directory.begin(next.version) : undefined;
  try {
    const taken = await putPeople(deps.store, source, { progress, image });
    const { people } = await finish(deps, source.name, image);
    return { ...taken, people };
  } finally {
    await image?.discard();
  }
}

async function putPeople(
  store: Store,
  source: PeopleSource,
  { progress, image }: { readonly progress: ImportProgress; readonly image: NewImage | undefined },
): Promise<Omit<PeopleImported, 'people'>> {
  const skipped = await store.read((tx) => tx.directory.findProgress(source.name));
  const totals = { added: 0, changed: 0, refused: 0 };
  let batch: Person[] = [];
  let done = 0;
  const flush = async (): Promise<void> => {
    if (done <= skipped) return;
    const at = done;
    const { added, changed, people } = await store.write(async (tx) => {
      await tx.directory.saveProgress(source.name, at);
      return tx.directory.put(batch);
    });
    totals.added += added;
    totals.changed += changed;
    batch = [];
    await image?.add(people);
    progress.stored(at);
  };
  for await (const record of source.people()) {
    done += 1;
    if (done <= skipped) continue;
    if (isPerson(record)) batch.push(record);
    else {
      totals.refused += 1;
      progress.rejected(record.line, record.errors);
    }
    if (done % BATCH === 0) await flush();
  }
  await flush();
  return { ...totals, skipped };
}

/** Attempts to finish: another import may add people while the image is built. */
const TRIES = 3;

/** Stores the new version together with its image, which is built first, so that other nodes need not. @source decision 796 */
async function finish(
  { store, clock, directory }: PeopleImportDependencies,
  source: string,
  image: NewImage | undefined,
): Promise<DirectoryState> {
  for (let tries = 1; ; tries++) {
    const mark = secureRandom.bytes(8).toString('hex');
    const next = await store.read((tx) => tx.directory.findNext(mark));
    const built = await directory.build(next, image);
    const now = formatInstant(clock.now());
    const settled = await store.write(async (tx) => {
      const { version, people } = await tx.directory.findNext(mark);
      const fits = version === next.version && people === next.people;
      if (!fits && tries < TRIES) return undefined;
      await tx.directory.clearProgress(source);
      const state = await tx.directory.commitState(mark);
      // Otherwise, the first node that needs the image builds it.
      if (fits) await tx.derivedFiles.record(built, now);
      await tx.jobs.planNoLaterThan({ kind: AUDIENCE_REMATCHING, key: '', run_at: now });
      const run_at = formatInstant(clock.now() + FETCHED_WITHIN_S * 1000);
      await tx.jobs.planNoLaterThan({ kind: OBJECT_REMOVAL, key: 'all', run_at });
      return state;
    });
    if (settled) return settled;
  }
}

function isPerson(record: PersonOrErrors): record is Person {
  return 'user_id' in record;
}
