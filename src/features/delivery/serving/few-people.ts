import type { Services } from '../../../contract/declare/operation.ts';
import type { Condition, PeopleQuery } from '../../../contract/store/directory.ts';

/** What was found about questions, by their hash. */
export type FewPeople = Map<string, boolean>;

/**
 * Whether something that a question asks of people means fewer of the directory than an audience must have: showing an ad
 * of it to a known person would tell something about them. What the directory knows of nobody tells nothing. Who is alike to
 * somebody is not meant, as in decisions; people count however long ago they were active. @source decision 1075
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
  // Nobody is known in an empty directory.
  for (const group of people === 0 ? [] : [anyOf, ...allOf]) {
    if (group.length === 0) continue;
    const meant = await directory.count({ anyOf: group.map(themselves), allOf: [], noneOf: [] }, 0);
    isFew ||= meant > 0 && meant < rules.size_min;
  }
  known.set(hash, isFew);
  return isFew;
}

function themselves(condition: Condition): Condition {
  return condition.is === 'alike' ? themselves(condition.to) : condition;
}
