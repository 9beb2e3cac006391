import type { ApplicationLimits } from '../../contract/declare/application-limits.ts';
import type { Builder } from '../core/in-lists.ts';
import type { Session } from '../core/session.ts';
import { tableRows } from '../core/table-rows.ts';

/** Limits of single applications. */
export function applicationLimitsOn(session: Session): ApplicationLimits {
  const { statements } = session;
  return {
    async find(application) {
      const statement = statements.cached('application_limits of', (db, param) =>
        db
          .selectFrom('application_limits')
          .select(['name', 'value'])
          .where('application_id', '=', param('application')),
      );
      const found = await session.all(statement, { application });
      return Object.fromEntries(found.map(({ name, value }) => [name, value]));
    },
    async set(application, name, value) {
      const remove = statements.cached(
        'application_limits remove',
        (db, param): Builder =>
          db
            .deleteFrom('application_limits')
            .where('application_id', '=', param('application'))
            .where('name', '=', param('name')),
      );
      await session.run(remove, { application, name });
      if (value !== null) {
        await tableRows(session, 'application_limits').insert({ application_id: application, name, value });
      }
    },
  };
}
