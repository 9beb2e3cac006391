import type { Environment } from '../declare/account-state.ts';

/** Asks which values of some targeting types occur together with given values. */
export interface CoOccurrenceQuery {
  readonly environment: Environment;
  /** The account whose own use of a value suffices; use by others counts only where several accounts share it. */
  readonly account: string;
  readonly types: readonly string[];
  readonly values: readonly string[];
  readonly limit: number;
}

/** Values that line items of an environment target together. */
export interface Suggestions {
  /**
   * Values that live line items of live accounts target together with one of `values`, except those themselves: most
   * frequent first, then in text order. Values used by only one other account are not disclosed.
   */
  listCoOccurring(query: CoOccurrenceQuery): Promise<string[]>;
}
