import { insertNew } from '../core/bulk-insert.ts';
import { Table } from '../core/table.ts';

/** The id of the object store that belongs to the database. Copies of the database have none. @source decision 849 */
export class ObjectStoreId extends Table {
  /** Undefined before the first use of a store. */
  async find() {
    return (await this.session.first('object store id', {}, (db) => db.selectFrom('object_stores').select('id')))?.id;
  }

  /** Records the id unless another one is recorded; returns the one that is. */
  async claim(id: string) {
    await insertNew(this.session, 'object_stores', { row: 1, id });
    return (await this.find())!;
  }
}
