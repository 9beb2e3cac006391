import type { CorpusPage, CorpusState } from '../../contract/store/corpus.ts';
import { insertNew, insertRows } from '../core/bulk-insert.ts';
import { Table } from '../core/table.ts';
import { deleteRows, findRow, lockRow, updateRows } from '../core/table-rows.ts';

/** The name of the only corpus. */
const NAME = 'posts';
/** Number of pages whose sizes are read in one statement. */
const LOOKED_AT = 100;

/** The stored imported posts: together with local posts, the source of truth for the index. */
export class Corpus extends Table {
  async findState(): Promise<CorpusState> {
    const row = await this.session.first('corpus state', { name: NAME }, (db, param) =>
      db
        .selectFrom('corpus_state')
        .leftJoin('keyword_index', 'keyword_index.name', 'corpus_state.name')
        .select(['corpus_state.pages', 'corpus_state.mark', 'keyword_index.revision'])
        .where('corpus_state.name', '=', param('name')),
    );
    return { pages: row?.pages ?? 0, mark: row?.mark ?? '', revision: row?.revision ?? 0 };
  }

  /** Reads and locks the state until the unit ends; a corpus without a mark gets this one. */
  async lockState(mark: string): Promise<Omit<CorpusState, 'revision'>> {
    await insertNew(this.session, 'corpus_state', { name: NAME, pages: 0, mark });
    const row = await lockRow(this.session, 'corpus_state', { name: NAME });
    return { pages: row?.pages ?? 0, mark: row?.mark ?? mark };
  }

  /** The ids in the pages of a day, from the page with this number on; one buffer per page. */
  async listIds(day: number, from: number): Promise<Uint8Array[]> {
    return (
      await this.session.all('corpus ids', { day, from }, (db, param) =>
        db
          .selectFrom('corpus_pages')
          .select('ids')
          .where('day', '=', param('day'))
          .where('number', '>=', param('from'))
          .orderBy('number'),
      )
    ).map(({ ids }) => ids);
  }

  /** Pages from a number on, in the order in which they were stored: about `bytes_max` bytes of them, but at least one. */
  async listPages(from: number, bytes_max: number) {
    let last = from - 1;
    let bytes = 0;
    for (const row of await this.session.all('corpus sizes', { from, limit: LOOKED_AT }, (db, param) =>
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
    return this.session.all('corpus pages', { from, last }, (db, param) =>
      db
        .selectFrom('corpus_pages')
        .select(['number', 'day', 'posts', 'payload'])
        .where('number', '>=', param('from'))
        .where('number', '<=', param('last'))
        .orderBy('number'),
    );
  }

  /** Stores pages, in a unit that has locked the state. */
  async addPages(added: readonly CorpusPage[]) {
    const state = await findRow(this.session, 'corpus_state', { name: NAME });
    const first = state?.pages ?? 0;
    for (const [index, page] of added.entries()) {
      await insertRows(this.session, 'corpus_pages', [{ number: first + index, bytes: page.payload.length, ...page }]);
    }
    await updateRows(this.session, 'corpus_state', { pages: first + added.length }, { name: NAME });
  }

  /** Progress of an unfinished import; 0 when there is none. */
  async findProgress(source: string) {
    return (await findRow(this.session, 'corpus_imports', { source }))?.done ?? 0;
  }

  async saveProgress(source: string, done: number) {
    await insertRows(this.session, 'corpus_imports', [{ source, done }], {
      onConflict: { key: ['source'], replace: ['done'] },
    });
  }

  async clearProgress(source: string) {
    await deleteRows(this.session, 'corpus_imports', { source });
  }

  /**
   * The manifest of the index, JSON text as in `src/features/keywords/manifest.ts`, and its revision; undefined before
   * there is one.
   */
  async findIndex() {
    const row = await findRow(this.session, 'keyword_index', { name: NAME });
    return row && { revision: row.revision, manifest: row.manifest };
  }

  /** Replaces the manifest, and increases the revision; false when it is no longer the former one (0: none). */
  async replaceIndex(former: number, manifest: string) {
    const next = { revision: former + 1, manifest };
    if (former === 0) return insertNew(this.session, 'keyword_index', { name: NAME, ...next });
    return (await updateRows(this.session, 'keyword_index', next, { name: NAME, revision: former })) === 1;
  }
}
