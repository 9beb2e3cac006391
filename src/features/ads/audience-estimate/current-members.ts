import type { Services } from '../../../contract/declare/operation.ts';
import { peopleMeantBy } from '../../../contract/store/audience-trees.ts';
import { subjectOf } from '../../../contract/store/custom-audiences.ts';
import type { EstimateCriterion } from './parse-criteria.ts';

/**
 * The members of an audience who are in the directory, as numbers; none when the audience does not exist, or when a
 * criterion includes them and they are fewer than an audience must have, whatever else was uploaded.
 * @param now in Unix seconds
 * @source decision 1074
 */
export async function currentMembers(
  { store, audiences: { members: memberships, rules } }: Pick<Services, 'store' | 'audiences'>,
  { audience, operator }: { readonly audience: string; readonly operator: EstimateCriterion['operator'] },
  now: number,
): Promise<Uint32Array> {
  const kept = await store.read((tx) => tx.audiences.find(subjectOf('audience', audience)));
  const members = kept ? await memberships.usersOf(peopleMeantBy(kept), now) : new Uint32Array();
  return operator !== 'NE' && members.length < rules.size_min ? new Uint32Array() : members;
}
