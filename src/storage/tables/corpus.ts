import { sql } from 'kysely';
import type { Corpus, CorpusState } from '../../contract/store/corpus.ts';
import type { Session } from '../core/session.ts';
import { tableRows } from '../core/table-rows.ts';

/** There is one corpus. */
const NAME = 'posts';
/** Pages of which the sizes are looked at together. */
const LOOKED_AT = 100;

/** Imported posts. */
export function corpusOn(session: Session): Corpus {
  const { statements } = session;
  const states = tableRows(session, 'corpus_state');
  const imports = tableRows(session, 'corpus_imports');
  const pages = tableRows(session, 'corpus_pages');

  return {
    async findState() {
      const row: CorpusState | undefined = await states.find('name', NAME);
      return { pages: row?.pages ?? 0, mark: row?.mark ?? '' };
    },
    async lockState(mark) {
      const begin = statements.cached('corpus begin', (db, param) =>
        db
          .insertInto('corpus_state')
          .values({ name: param('name'), pages: 0, mark: param('mark') })
          .onConflict((conflict) => conflict.doNothing()),
      );
      await session.run(begin, { name: NAME, mark });
      const row: CorpusState = await states.lock('name', NAME);
      return { pages: row.pages, mark: row.mark };
    },
    async listIds(day, from) {
      const statement = statements.cached('corpus ids', (db, param) =>
        db
          .selectFrom('corpus_pages')
          .select('ids')
          .where('day', '=', param('day'))
          .where('number', '>=', param('from'))
          .orderBy('number'),
      );
      return (await session.all(statement, { day, from })).map(({ ids }) => ids);
    },
    async listPages(from, bytes_max) {
      const sizes = statements.cached('corpus sizes', (db, param) =>
        db
          .selectFrom('corpus_pages')
          .select(['number', 'bytes'])
          .where('number', '>=', param('from'))
          .orderBy('number')
          .limit(param('limit')),
      );
      let last = from - 1;
      let bytes = 0;
      for (const row of await session.all(sizes, { from, limit: LOOKED_AT })) {
        bytes += row.bytes;
        if (last >= from && bytes > bytes_max) break;
        last = row.number;
      }
      if (last < from) return [];
      const statement = statements.cached('corpus pages', (db, param) =>
        db
          .selectFrom('corpus_pages')
          .select(['number', 'day', 'posts', 'payload'])
          .where('number', '>=', param('from'))
          .where('number', '<=', param('last'))
          .orderBy('number'),
      );
      return session.all(statement, { from, last });
    },
    async addPages(added) {
      const state: CorpusState = await states.find('name', NAME);
      for (const [index, page] of added.entries()) {
        await pages.insert({ number: state.pages + index, bytes: page.payload.length, ...page });
      }
      const statement = statements.cached('corpus grow', (db, param) =>
        db
          .updateTable('corpus_state')
          .set({ pages: param('pages') })
          .where('name', '=', param('name')),
      );
      await session.run(statement, { pages: state.pages + added.length, name: NAME });
    },
    async removeBefore(day, limit) {
      const statement = statements.cached('corpus remove', (db, param) =>
        db
          .deleteFrom('corpus_pages')
          .where(
            'number',
            'in',
            db
              .selectFrom('corpus_pages')
              .select('number')
              .where('day', '<', param('day'))
              .orderBy('day')
              .limit(param('limit')),
          ),
      );
      return session.run(statement, { day, limit });
    },
    findProgress: async (source) => (await imports.find('source', source))?.done ?? 0,
    async saveProgress(source, done) {
      const statement = statements.cached('corpus progress', (db, param) =>
        db
          .insertInto('corpus_imports')
          .values({ source: param('source'), done: param('done') })
          .onConflict((conflict) => conflict.column('source').doUpdateSet({ done: sql.ref('excluded.done') })),
      );
      await session.run(statement, { source, done });
    },
    async clearProgress(source) {
      const statement = statements.cached('corpus progress end', (db, param) =>
        db.deleteFrom('corpus_imports').where('source', '=', param('source')),
      );
      await session.run(statement, { source });
    },
  };
}
