/** What a database knows of having been restored from a backup. */
export interface Restores {
  /**
   * Unix seconds from which on signed requests are accepted; 0 when the database was never restored. The nonces of
   * requests that were accepted between a backup and the end of the service are lost with it.
   */
  findRequestsNotBefore(): Promise<number>;
}
