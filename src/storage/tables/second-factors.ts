import type { SecondFactors } from '../../contract/store/second-factors.ts';
import { rowsOn } from '../core/rows.ts';
import type { Session } from '../core/session.ts';

/** One-time passwords and recovery codes of users. */
export function secondFactorsOn(session: Session): SecondFactors {
  const { statements } = session;
  const table = rowsOn(session, 'second_factors');
  const codes = rowsOn(session, 'recovery_codes');
  const removeAll = (name: string, user: string): Promise<number> => {
    const statement = statements.of(`${name} remove`, (queries, argument) =>
      queries.deleteFrom(name).where('user_id', '=', argument('user')),
    );
    return session.run(statement, { user });
  };
  return {
    find: (user) => table.find('user_id', user),
    async findRecoveryCount(user) {
      const statement = statements.of('recovery_codes count', (queries, argument) =>
        queries
          .selectFrom('recovery_codes')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('user_id', '=', argument('user')),
      );
      return (await session.all(statement, { user }))[0].count;
    },
    add: (factor) => table.add(factor),
    async use(user, step) {
      const statement = statements.of('second_factors use', (queries, argument) =>
        queries
          .updateTable('second_factors')
          .set({ last_step: argument('step') })
          .where('user_id', '=', argument('user'))
          .where('last_step', '<', argument('step')),
      );
      return (await session.run(statement, { user, step })) === 1;
    },
    async putRecovery(user, hashes) {
      await removeAll('recovery_codes', user);
      for (const code_hash of hashes) await codes.add({ user_id: user, code_hash });
    },
    async takeRecovery(user, hash) {
      const statement = statements.of('recovery_codes take', (queries, argument) =>
        queries
          .deleteFrom('recovery_codes')
          .where('user_id', '=', argument('user'))
          .where('code_hash', '=', argument('hash')),
      );
      return (await session.run(statement, { user, hash })) === 1;
    },
    async remove(user) {
      await removeAll('recovery_codes', user);
      return (await removeAll('second_factors', user)) === 1;
    },
  };
}
