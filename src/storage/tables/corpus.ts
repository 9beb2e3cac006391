import { sql } from 'kysely';
import type { Corpus } from '../../contract/store/corpus.ts';
import { removeOldest } from '../core/remove-oldest.ts';
import type { Session } from '../core/session.ts';
import { tableRows } from '../core/table-rows.ts';

/** The name of the only corpus. */
const NAME = 'posts';
/** Pages whose sizes are read at once. */
const LOOKED_AT = 100;

/** The corpus of imported posts. */
export function corpusOn(session: Session): Corpus {
  const states = tableRows(session, 'corpus_state');
  const imports = tableRows(session, 'corpus_imports');
  const pages = tableRows(session, 'corpus_pages');
  const indexes = tableRows(session, 'keyword_index');

  return {
    async findState() {
      const row = await session.first('corpus state', { name: NAME }, (db, param) =>
        db
          .selectFrom('corpus_state')
          .leftJoin('keyword_index', 'keyword_index.name', 'corpus_state.name')
          .select(['corpus_state.pages', 'corpus_state.mark', 'keyword_index.revision'])
          .where('corpus_state.name', '=', param('name')),
      );
      return { pages: row?.pages ?? 0, mark: row?.mark ?? '', revision: row?.revision ?? 0 };
    },
    async lockState(mark) {
      await session.run('corpus begin', { name: NAME, mark }, (db, param) =>
        db
          .insertInto('corpus_state')
          .values({ name: param('name'), pages: 0, mark: param('mark') })
          .onConflict((conflict) => conflict.doNothing()),
      );
      const row = await states.lock('name', NAME);
      return { pages: row?.pages ?? 0, mark: row?.mark ?? mark };
    },
    async listIds(day, from) {
      return (
        await session.all('corpus ids', { day, from }, (db, param) =>
          db
            .selectFrom('corpus_pages')
            .select('ids')
            .where('day', '=', param('day'))
            .where('number', '>=', param('from'))
            .orderBy('number'),
        )
      ).map(({ ids }) => ids);
    },
    async listPages(from, bytes_max) {
      let last = from - 1;
      let bytes = 0;
      for (const row of await session.all('corpus sizes', { from, limit: LOOKED_AT }, (db, param) =>
        db
          .selectFrom('corpus_pages')
          .select(['number', 'bytes'])
          .where('number', '>=', param('from'))
          .orderBy('number')
          .limit(param('limit')),
      )) {
        bytes += row.bytes;
        if (last >= from && bytes > bytes_max) break;
        last = row.number;
      }
      if (last < from) return [];
      return session.all('corpus pages', { from, last }, (db, param) =>
        db
          .selectFrom('corpus_pages')
          .select(['number', 'day', 'posts', 'payload'])
          .where('number', '>=', param('from'))
          .where('number', '<=', param('last'))
          .orderBy('number'),
      );
    },
    async addPages(added) {
      const state = await states.find('name', NAME);
      const first = state?.pages ?? 0;
      for (const [index, page] of added.entries()) {
        await pages.insert({ number: first + index, bytes: page.payload.length, ...page });
      }
      await session.run('corpus grow', { pages: first + added.length, name: NAME }, (db, param) =>
        db
          .updateTable('corpus_state')
          .set({ pages: param('pages') })
          .where('name', '=', param('name')),
      );
    },
    removeBefore: (day, limit) =>
      removeOldest(session, { table: 'corpus_pages', key: ['number'], time: 'day' }, day, limit),
    findProgress: async (source) => (await imports.find('source', source))?.done ?? 0,
    async saveProgress(source, done) {
      await session.run('corpus progress', { source, done }, (db, param) =>
        db
          .insertInto('corpus_imports')
          .values({ source: param('source'), done: param('done') })
          .onConflict((conflict) => conflict.column('source').doUpdateSet({ done: sql.ref('excluded.done') })),
      );
    },
    async findIndex() {
      const row = await indexes.find('name', NAME);
      return row && { revision: row.revision, manifest: row.manifest };
    },
    async replaceIndex(former, manifest) {
      const args = { name: NAME, former, next: former + 1, manifest };
      const changed = await session.run(`corpus index ${former === 0 ? 'begin' : 'replace'}`, args, (db, param) =>
        former === 0
          ? db
              .insertInto('keyword_index')
              .values({ name: param('name'), revision: param('next'), manifest: param('manifest') })
              .onConflict((conflict) => conflict.doNothing())
          : db
              .updateTable('keyword_index')
              .set({ revision: param('next'), manifest: param('manifest') })
              .where('name', '=', param('name'))
              .where('revision', '=', param('former')),
      );
      return changed === 1;
    },
    async clearProgress(source) {
      await session.run('corpus progress end', { source }, (db, param) =>
        db.deleteFrom('corpus_imports').where('source', '=', param('source')),
      );
    },
  };
}
