/** Receives the progress of an import. */
export interface ImportProgress {
  /** So many records are stored durably. */
  stored(records: number): void;
  /** A record, counted from 1, was rejected with these errors. */
  rejected(record: number, errors: readonly string[]): void;
}
