import type { SettledAccount } from '../../contract/services/delivery.ts';

/** The audience of a question, as counted in the directory. */
export interface AudienceCount {
  people: number;
  /** People by segmentation type and segment value, `UNKNOWN` included: those of a type add up to `people` before it was rounded. */
  shares: Record<string, Record<string, number>>;
  /** Digest of the question; the same one of the same directory has the same answer on the same day. */
  question_hash: string;
  /** The mark of the directory that answered. */
  directory_mark: string;
}

/**
 * Counts the audiences of line items in the directory: the people who are active at a time, in milliseconds
 * since 1970, now by default.
 */
export interface AudienceCounter {
  /** By line item; deleted and unknown ones are absent. @throws UNAVAILABLE while the posts that keywords need are indexed */
  count(account: SettledAccount, lineItemIds: readonly string[], at_ms?: number): Promise<Map<string, AudienceCount>>;
  /** The people in the audience of at least one of these line items, each once; deleted and unknown ones have none. @throws as above */
  countUnion(account: SettledAccount, lineItemIds: readonly string[], at_ms?: number): Promise<AudienceCount>;
}
