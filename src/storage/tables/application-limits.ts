import type { ApplicationLimits } from '../../contract/declare/application-limits.ts';
import type { Session } from '../core/session.ts';
import { tableRows } from '../core/table-rows.ts';

/** Limits that apply to single applications. @source decision 345 */
export function applicationLimitsOn(session: Session): ApplicationLimits {
  return {
    async find(application) {
      const found = await session.all('application_limits of', { application }, (db, param) =>
        db
          .selectFrom('application_limits')
          .select(['name', 'value'])
          .where('application_id', '=', param('application')),
      );
      return Object.fromEntries(found.map(({ name, value }) => [name, value]));
    },
    async set(application, name, value) {
      await session.run('application_limits remove', { application, name }, (db, param) =>
        db
          .deleteFrom('application_limits')
          .where('application_id', '=', param('application'))
          .where('name', '=', param('name')),
      );
      if (value !== null) {
        await tableRows(session, 'application_limits').insert({ application_id: application, name, value });
      }
    },
  };
}
