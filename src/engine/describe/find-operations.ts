import type { Operation } from '../../contract/declare/operation.ts';
import { parameterWords } from './words.ts';

/** Maximum length of a search; the rest is cut off. */
const SEARCH_MAX = 100;

/**
 * Finds the operations that have all words of a search, in any order, in their id, method, path, description or parameters;
 * first those that have them in their id.
 */
export function findOperations(operations: readonly Operation[], search: string): readonly Operation[] {
  const words = search.slice(0, SEARCH_MAX).toLowerCase().split(/\s+/).filter(Boolean);
  const hasAll = (text: string): boolean => words.every((word) => text.includes(word));
  const found = operations.filter((operation) => {
    const { id, method, path, description, bodyMembers = {} } = operation;
    const names = [...parameterWords(operation).map(({ name }) => name), ...Object.keys(bodyMembers)];
    return hasAll([id, method, path, description, ...names].join('\n').toLowerCase());
  });
  return found.sort((one, other) => Number(hasAll(other.id)) - Number(hasAll(one.id)));
}
