import type { ErrorDetail } from './problems.ts';

/** Thrown when items of a batch fail: the errors of each item, in order. Nothing was changed. @source decision 50 */
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
