import { tokensOf } from '../../../base/tokens.ts';
import { hasPhrase, type PhraseMatch } from '../../../base/words.ts';
import type { Condition, PeopleQuery } from '../../../contract/store/directory.ts';
import type { EstimateCriterion } from '../../ads/audience-estimate/parse-criteria.ts';
import type { Viewer } from './viewer.ts';

/** Tests whether an ad targets a viewer. */
export type Predicate = (viewer: Viewer) => boolean;

/**
 * Compiles a directory query and keyword predicates into a predicate for one viewer. Unknown attributes meet no condition, so
 * they neither include nor exclude. Lookalikes are ignored, because they require the whole directory.
 * @source decision 977
 */
export function predicateOf(
  { anyOf, allOf, noneOf }: PeopleQuery,
  keywords: { readonly included: readonly Predicate[]; readonly excluded: readonly Predicate[] },
): Predicate {
  const isForEverybody = anyOf.length === 0;
  const included = [...anyOf.map(conditionOf), ...keywords.included];
  const groups = allOf.map((group) => group.map(conditionOf));
  const excluded = [...noneOf.map(conditionOf), ...keywords.excluded];
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

/** Binary search in ascending numbers. */
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

const MATCHES: Readonly<Record<string, PhraseMatch>> = {
  EXACT_KEYWORD: 'alone',
  PHRASE_KEYWORD: 'in a row',
  BROAD_KEYWORD: 'anywhere',
  UNORDERED_KEYWORD: 'anywhere',
};

/** Compiles a keyword criterion into a predicate for the keywords of a page; undefined for other criteria. @source decision 977 */
export function keywordPredicate({ type, value }: EstimateCriterion): Predicate | undefined {
  const match = MATCHES[type];
  if (!match) return undefined;
  const phrase = tokensOf(value);
  if (match === 'anywhere') return ({ keywords }) => hasPhrase(keywords.flatMap(tokensOf), phrase, match);
  return ({ keywords }) => keywords.some((keyword) => hasPhrase(tokensOf(keyword), phrase, match));
}
