import { sql } from 'kysely';
import type { ObjectStoreId } from '../../contract/store/object-store-id.ts';
import type { Session } from '../core/session.ts';

/** The id of the object store. @source decision 849 */
export function objectStoreIdOn(session: Session): ObjectStoreId {
  const find = async (): Promise<string | undefined> =>
    (await session.first('object store id', {}, (db) => db.selectFrom('object_stores').select('id')))?.id;
  return {
    find,
    async claim(id) {
      await session.run('object store id claim', { id }, (db, param) =>
        db
          .insertInto('object_stores')
          .values({ row: sql.lit(1), id: param('id') })
          .onConflict((conflict) => conflict.doNothing()),
      );
      return (await find())!;
    },
  };
}
