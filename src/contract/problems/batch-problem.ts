import type { ErrorDetail } from './problems.ts';

/** Items of a batch failed: for each item, in order, what is wrong with it. Nothing was changed. */
export class BatchProblem extends Error {
  override readonly name = 'BatchProblem';
  readonly items: readonly (readonly ErrorDetail[])[];
  /** The echo of the request, JSON text. */
  readonly request: string;

  constructor(items: readonly (readonly ErrorDetail[])[], request: string) {
    super(`${items.filter((errors) => errors.length > 0).length} items of the batch failed`);
    this.items = items;
    this.request = request;
  }
}
