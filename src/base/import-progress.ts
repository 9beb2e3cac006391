/** Receives what an import reports while it runs. */
export interface ImportProgress {
  /** So many records are read and durable. */
  stored(records: number): void;
  /** A record, counted from 1, was rejected with these errors. */
  rejected(record: number, errors: readonly string[]): void;
}
