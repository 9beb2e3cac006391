/** What a database records about its backups. Times are UTC texts, by the clock of the machine that backs up. */
export interface VerifiedBackup {
  /** When a backup was last verified; undefined: never. */
  find(): Promise<string | undefined>;
  record(verified_at: string): Promise<void>;
}
