import { secureRandom } from '../base/random.ts';
import type { Person } from '../contract/store/directory.ts';
import type { Store } from '../storage/unit-of-work.ts';
import { samplePeople } from './samples/sample-people.ts';

/** Batch size; small batches are freed before a full garbage collection. */
const AT_ONCE = 100;

/** The people of the demo world, some of whom follow its users. */
export interface DemoPeople {
  readonly seed: number;
  readonly users: number;
  /** Ids of its users. */
  readonly registered: readonly string[];
  /** Unix seconds: the time up to which they were last active. */
  readonly now: number;
}

/** Every nth person reads the newsletter of the demo world. */
const READER_EVERY = 12;

/**
 * Puts sample people into the empty directory of a new world. Its image is made with its first use. Resolves with the e-mail
 * addresses of those who read its newsletter.
 * @source decision 923
 */
export async function fillDirectory(store: Store, people: DemoPeople): Promise<readonly string[]> {
  const readers: string[] = [];
  if (people.users === 0) return readers;
  const made = samplePeople(people);
  const make = (number: number): Person => {
    const { person, known } = made(number);
    if (number % READER_EVERY === 0) readers.push(known.email);
    return person;
  };
  await store.write(async (tx) => {
    for (let from = 0; from < people.users; from += AT_ONCE) {
      const count = Math.min(AT_ONCE, people.users - from);
      await tx.directory.put(Array.from({ length: count }, (_, index) => make(from + index)));
    }
    await tx.directory.commitState(secureRandom.bytes(8).toString('hex'));
  });
  return readers;
}
