import type { Environment } from '../declare/resource.ts';

/** Asks which values of some targeting types occur together with given ones. */
export interface CoOccurrenceQuery {
  readonly environment: Environment;
  /** Whose own use of a value is enough; that of others counts where several of them have it. */
  readonly account: string;
  readonly types: readonly string[];
  readonly values: readonly string[];
  readonly limit: number;
}

/** What line items of an environment have in common. */
export interface Suggestions {
  /**
   * Values that live line items of live accounts target together with one of those asked for, which are not among them:
   * those of most line items first, then in their order as text. What a single other account has is not told.
   */
  listCoOccurring(query: CoOccurrenceQuery): Promise<string[]>;
}
