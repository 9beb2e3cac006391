/** What a database records about being restored from a backup. */
export interface Restores {
  /**
   * Unix second from which on signed requests are accepted; 0 when the database was never restored. The nonces of
   * requests accepted after the backup are lost with it.
   */
  findRequestsNotBefore(): Promise<number>;
}
