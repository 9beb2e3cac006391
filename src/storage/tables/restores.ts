import type { Restores } from '../../contract/store/restores.ts';
import type { Session } from '../core/session.ts';

/** Restores of this database. @source decision 454 */
export function restoresOn(session: Session): Restores {
  return {
    async findRequestsNotBefore() {
      return (
        (
          await session.first('restores not before', {}, (db) =>
            db.selectFrom('restores').select(({ fn }) => fn.max('requests_not_before').as('not_before')),
          )
        )?.not_before ?? 0
      );
    },
  };
}
