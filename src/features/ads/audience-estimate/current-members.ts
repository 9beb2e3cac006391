import type { Services } from '../../../contract/declare/operation.ts';
import { peopleMeantBy } from '../../../contract/store/audience-trees.ts';
import { subjectOf } from '../../../contract/store/custom-audiences.ts';

/**
 * The members of an audience who are in the directory, as numbers; none when the audience does not exist.
 * @param now in Unix seconds
 */
export async function currentMembers(
  { store, audiences: { members: memberships } }: Pick<Services, 'store' | 'audiences'>,
  audience: string,
  now: number,
): Promise<Uint32Array> {
  const kept = await store.read((tx) => tx.audiences.find(subjectOf('audience', audience)));
  return kept ? memberships.usersOf(peopleMeantBy(kept), now) : new Uint32Array();
}
