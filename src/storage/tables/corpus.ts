import { sql } from 'kysely';
import type { Corpus, CorpusState } from '../../contract/store/corpus.ts';
import { rowsOn } from '../core/rows.ts';
import type { Session } from '../core/session.ts';

/** There is one corpus. */
const NAME = 'posts';
/** Pages of which the sizes are looked at together. */
const LOOKED_AT = 100;

/** Imported posts. */
export function corpusOn(session: Session): Corpus {
  const { statements } = session;
  const states = rowsOn(session, 'corpus_state');
  const imports = rowsOn(session, 'corpus_imports');
  const pages = rowsOn(session, 'corpus_pages');

  return {
    async findState() {
      const row: CorpusState | undefined = await states.find('name', NAME);
      return { pages: row?.pages ?? 0, mark: row?.mark ?? '' };
    },
    async lockState(mark) {
      const begin = statements.of('corpus begin', (queries, argument) =>
        queries
          .insertInto('corpus_state')
          .values({ name: argument('name'), pages: 0, mark: argument('mark') })
          .onConflict((conflict) => conflict.doNothing()),
      );
      await session.run(begin, { name: NAME, mark });
      const row: CorpusState = await states.lock('name', NAME);
      return { pages: row.pages, mark: row.mark };
    },
    async listIds(day, from) {
      const statement = statements.of('corpus ids', (queries, argument) =>
        queries
          .selectFrom('corpus_pages')
          .select('ids')
          .where('day', '=', argument('day'))
          .where('number', '>=', argument('from'))
          .orderBy('number'),
      );
      return (await session.all(statement, { day, from })).map(({ ids }) => ids);
    },
    async listPages(from, bytes_max) {
      const sizes = statements.of('corpus sizes', (queries, argument) =>
        queries
          .selectFrom('corpus_pages')
          .select(['number', 'bytes'])
          .where('number', '>=', argument('from'))
          .orderBy('number')
          .limit(argument('limit')),
      );
      let last = from - 1;
      let bytes = 0;
      for (const row of await session.all(sizes, { from, limit: LOOKED_AT })) {
        bytes += row.bytes;
        if (last >= from && bytes > bytes_max) break;
        last = row.number;
      }
      if (last < from) return [];
      const statement = statements.of('corpus pages', (queries, argument) =>
        queries
          .selectFrom('corpus_pages')
          .select(['number', 'day', 'posts', 'payload'])
          .where('number', '>=', argument('from'))
          .where('number', '<=', argument('last'))
          .orderBy('number'),
      );
      return session.all(statement, { from, last });
    },
    async addPages(added) {
      const state: CorpusState = await states.find('name', NAME);
      for (const [index, page] of added.entries()) {
        await pages.add({ number: state.pages + index, bytes: page.payload.length, ...page });
      }
      const statement = statements.of('corpus grow', (queries, argument) =>
        queries
          .updateTable('corpus_state')
          .set({ pages: argument('pages') })
          .where('name', '=', argument('name')),
      );
      await session.run(statement, { pages: state.pages + added.length, name: NAME });
    },
    async removeBefore(day, limit) {
      const statement = statements.of('corpus remove', (queries, argument) =>
        queries
          .deleteFrom('corpus_pages')
          .where(
            'number',
            'in',
            queries
              .selectFrom('corpus_pages')
              .select('number')
              .where('day', '<', argument('day'))
              .orderBy('day')
              .limit(argument('limit')),
          ),
      );
      return session.run(statement, { day, limit });
    },
    findProgress: async (source) => (await imports.find('source', source))?.done ?? 0,
    async keepProgress(source, done) {
      const statement = statements.of('corpus progress', (queries, argument) =>
        queries
          .insertInto('corpus_imports')
          .values({ source: argument('source'), done: argument('done') })
          .onConflict((conflict) => conflict.column('source').doUpdateSet({ done: sql.ref('excluded.done') })),
      );
      await session.run(statement, { source, done });
    },
    async forgetProgress(source) {
      const statement = statements.of('corpus progress end', (queries, argument) =>
        queries.deleteFrom('corpus_imports').where('source', '=', argument('source')),
      );
      await session.run(statement, { source });
    },
  };
}
