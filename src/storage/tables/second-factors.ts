import type { SecondFactor } from '../../contract/store/second-factors.ts';
import { insertRows } from '../core/bulk-insert.ts';
import { Table } from '../core/table.ts';
import { deleteRows, findRow } from '../core/table-rows.ts';

/** One-time passwords and recovery codes of users. @source decision 511, 512 */
export class SecondFactors extends Table {
  find(user: string) {
    return findRow(this.session, 'second_factors', { user_id: user });
  }

  /** How many recovery codes are left. */
  async findRecoveryCount(user: string) {
    const row = await this.session.first('recovery_codes count', { user }, (db, param) =>
      db
        .selectFrom('recovery_codes')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('user_id', '=', param('user')),
    );
    return row?.count ?? 0;
  }

  /** Rejects when the user already has one. */
  add(factor: SecondFactor) {
    return insertRows(this.session, 'second_factors', [factor]);
  }

  /** Records that the code of a time step was used; returns false when one of this or a later step was. @source decision 511 */
  async use(user: string, step: number) {
    return (
      (await this.session.run('second_factors use', { user, step }, (db, param) =>
        db
          .updateTable('second_factors')
          .set({ last_step: param('step') })
          .where('user_id', '=', param('user'))
          .where('last_step', '<', param('step')),
      )) === 1
    );
  }

  /** Replaces all recovery codes by these hashes. */
  async putRecovery(user: string, hashes: readonly string[]) {
    await this.#removeCodes(user);
    for (const code_hash of hashes) await insertRows(this.session, 'recovery_codes', [{ user_id: user, code_hash }]);
  }

  /** Consumes a recovery code; returns false when there is no such code. */
  async takeRecovery(user: string, hash: string) {
    return (await deleteRows(this.session, 'recovery_codes', { user_id: user, code_hash: hash })) === 1;
  }

  /** Removes it and its recovery codes; returns false when there was none. */
  async remove(user: string) {
    await this.#removeCodes(user);
    return (await deleteRows(this.session, 'second_factors', { user_id: user })) === 1;
  }

  #removeCodes(user: string) {
    return deleteRows(this.session, 'recovery_codes', { user_id: user });
  }
}
