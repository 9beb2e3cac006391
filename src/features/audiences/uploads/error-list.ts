import type { ErrorDetail } from '../../../contract/problems/problems.ts';

/** The most errors reported for an upload; beyond them, only the first of each operation is reported. */
const REPORTED_MAX = 500;
/** The most errors reported for one operation. */
const REPORTED_PER_OPERATION_MAX = 50;

/**
 * Collects errors by operation, up to a limit: the first few show what is wrong with a hundred thousand plaintext
 * values.
 * @source decision 273
 */
interface ErrorList {
  /** Starts the next operation. */
  nextOperation(): void;
  add(error: ErrorDetail): void;
  count(): number;
  /** The errors of each operation; the last one may report how many were omitted. */
  items(): ErrorDetail[][];
}

/** An empty list. */
export function errorList(): ErrorList {
  const operations: { readonly reported: ErrorDetail[]; omitted: number }[] = [];
  let count = 0;
  let reportedCount = 0;
  return {
    nextOperation: () => void operations.push({ reported: [], omitted: 0 }),
    add(error) {
      const own = operations.at(-1)!;
      const isReported =
        own.reported.length === 0 || (reportedCount < REPORTED_MAX && own.reported.length < REPORTED_PER_OPERATION_MAX);
      if (isReported) own.reported.push(error);
      else own.omitted += 1;
      reportedCount += isReported ? 1 : 0;
      count += 1;
    },
    count: () => count,
    items: () =>
      operations.map(({ reported, omitted }) =>
        omitted === 0 ? reported : [...reported, { problem: 'FURTHER_FAULTS', words: { count: omitted } }],
      ),
  };
}
