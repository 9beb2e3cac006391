import { Table } from '../core/table.ts';

/** The record of a restore from a backup. @source decision 454 */
export class Restores extends Table {
  /**
   * Unix second from which on signed requests are accepted; 0 when the database was never restored. The nonces of
   * requests accepted after the backup are lost with it.
   */
  async findRequestsNotBefore() {
    return (
      (
        await this.session.first('restores not before', {}, (db) =>
          db.selectFrom('restores').select(({ fn }) => fn.max('requests_not_before').as('not_before')),
        )
      )?.not_before ?? 0
    );
  }
}
