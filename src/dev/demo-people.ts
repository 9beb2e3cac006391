import { secureRandom } from '../base/random.ts';
import type { Person } from '../contract/store/directory.ts';
import type { Store } from '../contract/store/store.ts';
import { samplePeople } from './samples/sample-people.ts';

/** People in one unit of work. */
const AT_ONCE = 1000;

/** The people of the demo world, some of whom follow its users. */
export interface DemoPeople {
  readonly seed: number;
  readonly users: number;
  /** Ids of its users. */
  readonly registered: readonly string[];
  /** Unix seconds: the time up to which they were last active. */
  readonly now: number;
}

/** Puts sample people into the empty directory of a new world. Its image is made with its first use. @source decision 923 */
export async function fillDirectory(store: Store, people: DemoPeople): Promise<void> {
  if (people.users === 0) return;
  const made = samplePeople(people);
  for (let from = 0; from < people.users; from += AT_ONCE) {
    const batch: Person[] = [];
    for (let number = from; number < Math.min(from + AT_ONCE, people.users); number++) batch.push(made(number).person);
    await store.write((tx) => tx.directory.put(batch));
  }
  await store.write((tx) => tx.directory.settle(secureRandom.bytes(8).toString('hex')));
}
