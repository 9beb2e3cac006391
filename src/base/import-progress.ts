/** Receives the progress of an import. */
export interface ImportProgress {
  /** This many records are stored durably. */
  stored(records: number): void;
  /** A record, by its number or line from 1, was rejected with these errors. */
  rejected(place: number, errors: readonly string[]): void;
}
