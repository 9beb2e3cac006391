import type { Person } from '../../src/contract/store/directory.ts';
import { identifierBytes, identifierOf } from '../../src/features/audiences/uploads/hash-identifier.ts';
import type { World } from './world.ts';

/** What a person is when a test says nothing else: known by id alone, and active when the clock of tests begins. */
export const NOBODY_IN_PARTICULAR: Omit<Person, 'user_id'> = {
  country: null,
  region: null,
  metro: null,
  city: null,
  postal_code: null,
  language: null,
  gender: null,
  platform: null,
  platform_version: null,
  device: null,
  network_operator: null,
  wifi: null,
  age: null,
  activated_at: null,
  interests: '',
  follows: '',
  store_categories: '',
  engagements: '',
  last_active_at: Date.parse('2026-03-02T17:04:55Z') / 1000,
  identifiers: new Uint8Array(),
};

/** A person of whom some things are known. */
export function person(user_id: string, known: Partial<Person> = {}): Person {
  return { ...NOBODY_IN_PARTICULAR, ...known, user_id };
}

/** Takes people into the directory of a world, and makes a new state of it. */
export async function settlePeople(world: World, people: readonly Person[]): Promise<void> {
  await world.service.store.write(async (tx) => {
    await tx.directory.put(people);
    const { version } = await tx.directory.findState();
    await tx.directory.commitState(`test${version + 1}`);
  });
}

/** The e-mail address of a reader. */
export const addressOf = (number: number): string => `reader.${number}@mail.test`;

/** Takes readers into the directory of a world, known by their e-mail addresses. */
export async function settleReaders(world: World, count: number, known: Partial<Person> = {}): Promise<void> {
  const readers = Array.from({ length: count }, (_, number) => {
    const identifiers = identifierBytes([identifierOf('email', addressOf(number))]);
    return person(String(1_000_000 + number), { ...known, identifiers });
  });
  await settlePeople(world, readers);
}
