import type { ErrorDetail } from '../../../contract/problems/problems.ts';

/** So many faults are told of an upload; beyond them only the first of each operation. */
const TOLD_MAX = 500;
/** And so many of one operation. */
const TOLD_OF_ONE_MAX = 50;

/** Faults of operations in turn. Whoever sends a hundred thousand plain values learns it from the first few. */
export interface FaultList {
  /** Goes on to the next operation. */
  next(): void;
  add(error: ErrorDetail): void;
  count(): number;
  /** For each operation what is wrong with it; the last fault of an operation says how many are not told. */
  items(): ErrorDetail[][];
}

/** A list without operations. */
export function faultList(): FaultList {
  const operations: { readonly told: ErrorDetail[]; untold: number }[] = [];
  let count = 0;
  let toldCount = 0;
  return {
    next: () => void operations.push({ told: [], untold: 0 }),
    add(error) {
      const own = operations.at(-1)!;
      const isTold = own.told.length === 0 || (toldCount < TOLD_MAX && own.told.length < TOLD_OF_ONE_MAX);
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
