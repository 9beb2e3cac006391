import type { Publisher, Publishers } from '../../contract/store/publishers.ts';
import type { Session } from '../core/session.ts';
import { tableRows } from '../core/table-rows.ts';

/** Publishers that show ads. */
export function publishersOn(session: Session): Publishers {
  const rows = tableRows(session, 'publishers');
  return {
    find: async (id) => (await rows.find('id', id)) as Publisher | undefined,
    findByDigest: async (digest) => (await rows.find('secret_digest', digest)) as Publisher | undefined,
    async list(owner) {
      const found = await session.all(`publishers list ${owner !== undefined}`, { owner: owner ?? '' }, (db, param) => {
        const all = db.selectFrom('publishers').selectAll();
        return (owner === undefined ? all : all.where('owner_user_id', '=', param('owner'))).orderBy('id');
      });
      return (found as Publisher[]).sort((one, other) => Number(one.id) - Number(other.id));
    },
    add: (publisher) => rows.insert(publisher),
    change: (id, changes) => rows.update(id, changes),
  };
}
