import type { SecondFactors } from '../../contract/store/second-factors.ts';
import type { Session } from '../core/session.ts';
import { tableRows } from '../core/table-rows.ts';

/** One-time passwords and recovery codes of users. @source decision 511, 512 */
export function secondFactorsOn(session: Session): SecondFactors {
  const table = tableRows(session, 'second_factors');
  const codes = tableRows(session, 'recovery_codes');
  const removeFactor = (user: string): Promise<number> =>
    session.run('second_factors remove', { user }, (db, param) =>
      db.deleteFrom('second_factors').where('user_id', '=', param('user')),
    );
  const removeCodes = (user: string): Promise<number> =>
    session.run('recovery_codes remove', { user }, (db, param) =>
      db.deleteFrom('recovery_codes').where('user_id', '=', param('user')),
    );
  return {
    find: (user) => table.find('user_id', user),
    async findRecoveryCount(user) {
      const row = await session.first('recovery_codes count', { user }, (db, param) =>
        db
          .selectFrom('recovery_codes')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('user_id', '=', param('user')),
      );
      return row?.count ?? 0;
    },
    add: (factor) => table.insert(factor),
    // False if this time step or a later one was used before. @source decision 511
    async use(user, step) {
      return (
        (await session.run('second_factors use', { user, step }, (db, param) =>
          db
            .updateTable('second_factors')
            .set({ last_step: param('step') })
            .where('user_id', '=', param('user'))
            .where('last_step', '<', param('step')),
        )) === 1
      );
    },
    async putRecovery(user, hashes) {
      await removeCodes(user);
      for (const code_hash of hashes) await codes.insert({ user_id: user, code_hash });
    },
    async takeRecovery(user, hash) {
      return (
        (await session.run('recovery_codes take', { user, hash }, (db, param) =>
          db.deleteFrom('recovery_codes').where('user_id', '=', param('user')).where('code_hash', '=', param('hash')),
        )) === 1
      );
    },
    async remove(user) {
      await removeCodes(user);
      return (await removeFactor(user)) === 1;
    },
  };
}
