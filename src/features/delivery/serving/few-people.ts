import type { Services } from '../../../contract/declare/operation.ts';
import type { Condition, PeopleQuery } from '../../../contract/store/directory.ts';

/** Whether questions target few people, by their hash. */
export type FewPeople = Map<string, boolean>;

/**
 * Whether a part of a question selects fewer people than an audience must have: showing an ad
 * for it to a known person would reveal something about them. Attributes that no person has reveal nothing. Lookalikes
 * are left out, as in decisions; inactive people count. @source decision 1075
 */
export async function meansFewPeople(
  { anyOf, allOf }: PeopleQuery,
  { store, audiences: { directory, rules } }: Pick<Services, 'store' | 'audiences'>,
  { hash, known }: { readonly hash: string; readonly known: FewPeople },
): Promise<boolean> {
  const found = known.get(hash);
  if (found !== undefined) return found;
  const { people } = await store.read((tx) => tx.directory.findState());
  let isFew = false;
  // An empty directory reveals nothing.
  for (const group of people === 0 ? [] : [anyOf, ...allOf]) {
    if (group.length === 0) continue;
    const matching = await directory.count({ anyOf: group.map(themselves), allOf: [], noneOf: [] }, 0);
    isFew ||= matching > 0 && matching < rules.size_min;
  }
  known.set(hash, isFew);
  return isFew;
}

function themselves(condition: Condition): Condition {
  return condition.is === 'alike' ? themselves(condition.to) : condition;
}
