import type { ErrorDetail } from '../../../contract/problems/problems.ts';

/** Errors reported for an upload; beyond them only the first of each operation. */
const REPORTED_MAX = 500;
/** Errors reported for one operation. */
const REPORTED_PER_OPERATION_MAX = 50;

/** Collects errors by operation, up to a limit: a hundred thousand plaintext values show in the first few. */
export interface ErrorList {
  /** Starts the next operation. */
  nextOperation(): void;
  add(error: ErrorDetail): void;
  count(): number;
  /** The errors of each operation; the last one may say how many were omitted. */
  items(): ErrorDetail[][];
}

/** An empty list. */
export function errorList(): ErrorList {
  const operations: { readonly told: ErrorDetail[]; untold: number }[] = [];
  let count = 0;
  let toldCount = 0;
  return {
    nextOperation: () => void operations.push({ told: [], untold: 0 }),
    add(error) {
      const own = operations.at(-1)!;
      const isTold =
        own.told.length === 0 || (toldCount < REPORTED_MAX && own.told.length < REPORTED_PER_OPERATION_MAX);
      if (isTold) own.told.push(error);
      else own.untold += 1;
      toldCount += isTold ? 1 : 0;
      count += 1;
    },
    count: () => count,
    items: () =>
      operations.map(({ told, untold }) =>
        untold === 0 ? told : [...told, { problem: 'FURTHER_FAULTS', words: { count: untold } }],
      ),
  };
}
