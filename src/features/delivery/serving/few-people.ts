import type { Services } from '../../../contract/declare/operation.ts';
import type { Condition, PeopleQuery } from '../../../contract/store/directory.ts';

/** What was found about questions, by their hash. */
export type FewPeople = Map<string, boolean>;

/**
 * Whether a question means fewer people of the directory than an audience must have: showing an ad of it to a known person
 * would tell something about them. Who is alike to somebody is not meant, as in decisions; people count however long ago
 * they were active. @source decision 1075
 */
export async function meansFewPeople(
  { anyOf, allOf, noneOf }: PeopleQuery,
  { store, audiences: { directory, rules } }: Pick<Services, 'store' | 'audiences'>,
  { hash, known }: { readonly hash: string; readonly known: FewPeople },
): Promise<boolean> {
  // Without any targeting, nothing of the person decides.
  if (anyOf.length + allOf.length + noneOf.length === 0) return false;
  const found = known.get(hash);
  if (found !== undefined) return found;
  const { people } = await store.read((tx) => tx.directory.findState());
  const meant: PeopleQuery = {
    anyOf: anyOf.map(themselves),
    allOf: allOf.map((group) => group.map(themselves)),
    noneOf: noneOf.map(themselves),
  };
  // Nobody is known in an empty directory.
  const isFew = people > 0 && (await directory.count(meant, 0)) < rules.size_min;
  known.set(hash, isFew);
  return isFew;
}

function themselves(condition: Condition): Condition {
  return condition.is === 'alike' ? themselves(condition.to) : condition;
}
