import type { SecondFactors } from '../../contract/store/second-factors.ts';
import type { Session } from '../core/session.ts';
import { tableRows } from '../core/table-rows.ts';

/** One-time passwords and recovery codes of users. */
export function secondFactorsOn(session: Session): SecondFactors {
  const { statements } = session;
  const table = tableRows(session, 'second_factors');
  const codes = tableRows(session, 'recovery_codes');
  const removeAll = (name: string, user: string): Promise<number> => {
    const statement = statements.cached(`${name} remove`, (db, param) =>
      db.deleteFrom(name).where('user_id', '=', param('user')),
    );
    return session.run(statement, { user });
  };
  return {
    find: (user) => table.find('user_id', user),
    async findRecoveryCount(user) {
      const statement = statements.cached('recovery_codes count', (db, param) =>
        db
          .selectFrom('recovery_codes')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('user_id', '=', param('user')),
      );
      return (await session.all(statement, { user }))[0].count;
    },
    add: (factor) => table.insert(factor),
    async use(user, step) {
      const statement = statements.cached('second_factors use', (db, param) =>
        db
          .updateTable('second_factors')
          .set({ last_step: param('step') })
          .where('user_id', '=', param('user'))
          .where('last_step', '<', param('step')),
      );
      return (await session.run(statement, { user, step })) === 1;
    },
    async putRecovery(user, hashes) {
      await removeAll('recovery_codes', user);
      for (const code_hash of hashes) await codes.insert({ user_id: user, code_hash });
    },
    async takeRecovery(user, hash) {
      const statement = statements.cached('recovery_codes take', (db, param) =>
        db.deleteFrom('recovery_codes').where('user_id', '=', param('user')).where('code_hash', '=', param('hash')),
      );
      return (await session.run(statement, { user, hash })) === 1;
    },
    async remove(user) {
      await removeAll('recovery_codes', user);
      return (await removeAll('second_factors', user)) === 1;
    },
  };
}
