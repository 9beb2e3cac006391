import type { Operation } from '../../contract/declare/operation.ts';
import { declaredProblems } from '../declared-problems.ts';
import { bodyTables } from './member-words.ts';
import { parameterWords, problemWords } from './words.ts';

/** Maximum length of a search; the rest is cut off. */
const SEARCH_MAX = 100;

/** The searchable text of each operation, in lower case. */
const texts = new WeakMap<Operation, string>();

/** Finds the operations that have all words of a search in their id, path, description, parameters or error codes. */
export function findOperations(operations: readonly Operation[], search: string): readonly Operation[] {
  const words = search.slice(0, SEARCH_MAX).toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return operations;
  return operations.filter((operation) => words.every((word) => textOf(operation).includes(word)));
}

function textOf(operation: Operation): string {
  const known = texts.get(operation);
  if (known !== undefined) return known;
  const { id, method, path, description, aliases = [] } = operation;
  const names = [...parameterWords(operation), ...bodyTables(operation).flatMap(({ members }) => members)];
  const codes = problemWords(operation, [...declaredProblems(operation), ...(operation.itemProblems ?? [])]);
  const parts = [
    id,
    method,
    path,
    ...aliases,
    description,
    ...names.map(({ name }) => name),
    ...codes.map(({ code }) => code),
  ];
  const text = parts.join('\n').toLowerCase();
  texts.set(operation, text);
  return text;
}
