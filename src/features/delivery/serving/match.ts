import type { Condition, PeopleQuery } from '../../../contract/store/directory.ts';
import type { Viewer } from './viewer.ts';

/** Whether an ad targets a viewer. */
export type Predicate = (viewer: Viewer) => boolean;

/**
 * Compiles a query of the directory into a predicate for one viewer. Unknown attributes meet no condition: they
 * neither include nor exclude. `more` are further predicates. Lookalikes are left out: they take the whole directory.
 * @source decision 977
 */
export function predicateOf(
  { anyOf, allOf, noneOf }: PeopleQuery,
  more: { readonly included?: readonly Predicate[]; readonly excluded?: readonly Predicate[] } = {},
): Predicate {
  const isForEverybody = anyOf.length === 0;
  const included = [...anyOf.map(conditionOf), ...(more.included ?? [])];
  const groups = allOf.map((group) => group.map(conditionOf));
  const excluded = [...noneOf.map(conditionOf), ...(more.excluded ?? [])];
  return (viewer) => {
    for (const group of groups) if (!meetsOne(group, viewer)) return false;
    return (isForEverybody || meetsOne(included, viewer)) && !meetsOne(excluded, viewer);
  };
}

function meetsOne(conditions: readonly Predicate[], viewer: Viewer): boolean {
  for (const meets of conditions) if (meets(viewer)) return true;
  return false;
}

function conditionOf(condition: Condition): Predicate {
  switch (condition.is) {
    case 'everybody':
      return () => true;
    case 'nobody':
      return () => false;
    case 'word': {
      const { word } = condition;
      const values = new Set(condition.values);
      return ({ words }) => words[word] !== null && values.has(words[word]);
    }
    case 'age': {
      const { from, to } = condition;
      return ({ age }) => age !== null && age >= from && age <= to;
    }
    case 'activated': {
      const { from, to } = condition;
      return ({ activated_at: at }) => at !== null && at >= from && at < to;
    }
    case 'listed': {
      const { list, values } = condition;
      return ({ lists }) => lists[list].size > 0 && values.some((value) => lists[list].has(value));
    }
    case 'people': {
      const numbers = Uint32Array.from(condition.numbers).sort();
      return ({ number }) => number !== undefined && hasSorted(numbers, number);
    }
    case 'users': {
      const { ids } = condition;
      return ({ user }) => user !== undefined && hasSorted(ids, user);
    }
    case 'alike':
      return conditionOf(condition.to);
  }
}

/** Whether ascending numbers contain one. */
function hasSorted<N extends number | bigint>(
  numbers: { readonly length: number; readonly [at: number]: N },
  wanted: N,
): boolean {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return numbers[low] === wanted;
}
