import type { ApplicationLimits } from '../../contract/declare/application-limits.ts';
import type { Builder } from '../core/lists.ts';
import { rowsOn } from '../core/rows.ts';
import type { Session } from '../core/session.ts';

/** Limits of single applications. */
export function applicationLimitsOn(session: Session): ApplicationLimits {
  const { statements } = session;
  return {
    async find(application) {
      const statement = statements.of('application_limits of', (queries, argument) =>
        queries
          .selectFrom('application_limits')
          .select(['name', 'value'])
          .where('application_id', '=', argument('application')),
      );
      const found = await session.all(statement, { application });
      return Object.fromEntries(found.map(({ name, value }) => [name, value]));
    },
    async set(application, name, value) {
      const remove = statements.of(
        'application_limits remove',
        (queries, argument): Builder =>
          queries
            .deleteFrom('application_limits')
            .where('application_id', '=', argument('application'))
            .where('name', '=', argument('name')),
      );
      await session.run(remove, { application, name });
      if (value !== null) {
        await rowsOn(session, 'application_limits').add({ application_id: application, name, value });
      }
    },
  };
}
