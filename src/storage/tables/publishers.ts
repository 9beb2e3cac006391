import type { Publisher } from '../../contract/store/publishers.ts';
import { insertRows } from '../core/bulk-insert.ts';
import { Table } from '../core/table.ts';
import { findRow, updateRows } from '../core/table-rows.ts';

/** Publishers of both environments. */
export class Publishers extends Table {
  find(id: string) {
    return findRow(this.session, 'publishers', { id });
  }

  findByDigest(digest: string) {
    return findRow(this.session, 'publishers', { secret_digest: digest });
  }

  /** All of them, or those of a user, by their number. */
  async list(owner?: string): Promise<Publisher[]> {
    const found = await this.session.all(
      `publishers list${owner === undefined ? '' : ' of owner'}`,
      { owner: owner ?? '' },
      (db, param) => {
        const all = db.selectFrom('publishers').selectAll();
        return (owner === undefined ? all : all.where('owner_user_id', '=', param('owner'))).orderBy('id');
      },
    );
    return found.sort((one, other) => Number(one.id) - Number(other.id));
  }

  add(publisher: Publisher) {
    return insertRows(this.session, 'publishers', [publisher]);
  }

  async change(
    id: string,
    changes: Partial<Pick<Publisher, 'secret_digest' | 'rotated_at' | 'disabled_at' | 'may_explain'>>,
  ) {
    await updateRows(this.session, 'publishers', changes, { id });
  }
}
