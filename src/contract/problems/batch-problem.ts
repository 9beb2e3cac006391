import type { Fault } from './problems.ts';

/** Items of a batch failed: for each item, in order, what is wrong with it. Nothing was changed. */
export class BatchProblem extends Error {
  override readonly name = 'BatchProblem';
  readonly items: readonly (readonly Fault[])[];
  /** The echo of the request, JSON text. */
  readonly request: string;

  constructor(items: readonly (readonly Fault[])[], request: string) {
    super(`${items.filter((faults) => faults.length > 0).length} items of the batch failed`);
    this.items = items;
    this.request = request;
  }
}
