import type { Operation } from '../../contract/declare/operation.ts';
import { parameterWords } from './words.ts';

/** Maximum length of a search; the rest is cut off. */
const SEARCH_MAX = 100;

/** Finds the operations that have all words of a search in their id, method, path, description or parameters. */
export function findOperations(operations: readonly Operation[], search: string): readonly Operation[] {
  const words = search.slice(0, SEARCH_MAX).toLowerCase().split(/\s+/).filter(Boolean);
  return operations.filter((operation) => {
    const { id, method, path, description, bodyMembers = {} } = operation;
    const names = [...parameterWords(operation).map(({ name }) => name), ...Object.keys(bodyMembers)];
    const text = [id, method, path, description, ...names].join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
