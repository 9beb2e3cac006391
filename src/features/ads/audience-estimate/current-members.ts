import type { Services } from '../../../contract/declare/operation.ts';
import { peopleMeantBy } from '../../../contract/store/audience-trees.ts';
import { subjectOf } from '../../../contract/store/custom-audiences.ts';
import type { EstimateCriterion } from './parse-criteria.ts';

/**
 * Returns the members of an audience in the directory, as numbers; none if the audience does not exist, or if an including
 * criterion has fewer of them than the minimum size of audiences.
 * @param now in Unix seconds
 * @source decision 1074
 */
export async function readCurrentMembers(
  { store, audiences: { members: memberships, rules } }: Pick<Services, 'store' | 'audiences'>,
  { audience, operator }: { readonly audience: string; readonly operator: EstimateCriterion['operator'] },
  now: number,
): Promise<Uint32Array> {
  const found = await store.read((tx) => tx.audiences.find(subjectOf('audience', audience)));
  const members = found ? await memberships.usersOf(peopleMeantBy(found), now) : new Uint32Array();
  return operator !== 'NE' && members.length < rules.size_min ? new Uint32Array() : members;
}
