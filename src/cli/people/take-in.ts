import type { Clock } from '../../base/clock.ts';
import { formatInstant } from '../../base/instants.ts';
import { secureRandom } from '../../base/random.ts';
import { AUDIENCE_REMATCHING } from '../../contract/store/audiences.ts';
import type { Person } from '../../contract/store/directory.ts';
import type { Store } from '../../contract/store/store.ts';
import { directoryFolder, openDirectory } from '../../features/audiences/directory/directory.ts';

/** What a source of people gives: a person, or words about what it has in place of one. */
export type PersonSaid = Person | readonly string[];

/** People from somewhere, always the same in the same order. */
export interface PeopleSource {
  /** Under this name an import that was broken off goes on. */
  readonly name: string;
  people(): AsyncIterable<PersonSaid> | Iterable<PersonSaid>;
}

/** What taking people in came to. `skipped`: taken in by an import that was broken off. */
export interface TakenIn {
  readonly added: number;
  readonly changed: number;
  readonly refused: number;
  readonly skipped: number;
  readonly people: number;
}

/** What is told while people are taken in. */
export interface Telling {
  progress(done: number): void;
  refused(number: number, wrong: readonly string[]): void;
}

/** Where people are taken in. */
export interface Taking {
  readonly store: Store;
  readonly clock: Clock;
  readonly settings: { readonly data_folder: string };
}

/** People in one unit of work. */
const BATCH = 2000;

/**
 * Takes people into the directory, batch by batch, each durable with the place to which it came; once all are there, the
 * directory has a new state, its image is made, and audiences are matched anew.
 */
export async function takeIn(ground: Taking, source: PeopleSource, telling: Telling): Promise<TakenIn> {
  const { store, clock, settings } = ground;
  const skipped = await store.read((tx) => tx.directory.findProgress(source.name));
  const totals = { added: 0, changed: 0, refused: 0 };
  let batch: Person[] = [];
  let done = 0;
  const flush = async (): Promise<void> => {
    if (done <= skipped) return;
    const at = done;
    const { added, changed } = await store.write(async (tx) => {
      await tx.directory.keepProgress(source.name, at);
      return tx.directory.put(batch);
    });
    totals.added += added;
    totals.changed += changed;
    batch = [];
    telling.progress(at);
  };
  for await (const said of source.people()) {
    done += 1;
    if (done <= skipped) continue;
    if (isPerson(said)) batch.push(said);
    else {
      totals.refused += 1;
      telling.refused(done, said);
    }
    if (done % BATCH === 0) await flush();
  }
  await flush();
  const { people } = await store.write(async (tx) => {
    await tx.directory.forgetProgress(source.name);
    return tx.directory.settle(secureRandom.bytes(8).toString('hex'));
  });
  const directory = openDirectory({ store, folder: directoryFolder(settings.data_folder), random: secureRandom });
  try {
    await directory.image();
  } finally {
    await directory.close();
  }
  // Not before there is an image: the server would make its own.
  const run_at = formatInstant(clock.now());
  await store.write((tx) => tx.jobs.planBy({ kind: AUDIENCE_REMATCHING, key: '', run_at }));
  return { ...totals, skipped, people };
}

function isPerson(said: PersonSaid): said is Person {
  return 'user_id' in said;
}
