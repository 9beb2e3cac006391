import { sql } from 'kysely';
import {
  type Directory,
  type DirectoryState,
  PERSON_LISTS,
  PERSON_WORDS,
  type Person,
} from '../../contract/store/directory.ts';
import { insertRows } from '../core/bulk-insert.ts';
import { inList, paddedSize } from '../core/in-lists.ts';
import type { Session } from '../core/session.ts';
import { tableRows, updateRows } from '../core/table-rows.ts';

/** The columns that an import may change. */
const IMPORTED = [
  ...PERSON_WORDS,
  'age',
  'activated_at',
  ...PERSON_LISTS,
  'last_active_at',
  'identifiers',
] as const satisfies readonly (keyof Person)[];
const COLUMNS = ['number', 'user_id', ...IMPORTED] as const;

/** Users per statement. */
const LOOKED_UP = 200;
/** The name of the only directory. */
const NAME = 'people';

type StateRow = DirectoryState & { readonly next_number: number };

/** The people of the platform. */
export function directoryOn(session: Session): Directory {
  const states = tableRows(session, 'directory_state');
  const imports = tableRows(session, 'directory_imports');

  /** The rows of those users that the directory has. */
  async function rowsOf(
    userIds: readonly string[],
  ): Promise<{ user_id: string; number: number; country: string | null }[]> {
    const found = [];
    for (let from = 0; from < userIds.length; from += LOOKED_UP) {
      const ids = userIds.slice(from, from + LOOKED_UP);
      const size = paddedSize(ids.length);
      const rows = await session.all(`directory users ${size}`, { ids }, (db, param) =>
        db
          .selectFrom('directory_users')
          .select(['user_id', 'number', 'country'])
          .where((eb) => inList(eb, 'user_id', param.list('ids', size))),
      );
      found.push(...rows);
    }
    return found;
  }

  /** Locks and returns the state, creating it if there is none. */
  async function lockedState(): Promise<StateRow> {
    const first = { name: NAME, version: 0, mark: '', people: 0, next_number: 0 };
    await session.run('directory begin', first, (db, param) =>
      db
        .insertInto('directory_state')
        .values({
          name: param('name'),
          version: param('version'),
          mark: param('mark'),
          people: param('people'),
          next_number: param('next_number'),
        })
        .onConflict((conflict) => conflict.doNothing()),
    );
    return (await states.lock('name', NAME)) ?? first;
  }

  async function changeState(changes: Partial<StateRow>): Promise<void> {
    await updateRows(session, 'directory_state', changes, { name: NAME });
  }

  return {
    async findState() {
      const row = await states.find('name', NAME);
      return { version: row?.version ?? 0, mark: row?.mark ?? '', people: row?.people ?? 0 };
    },
    async list(from, limit) {
      return session.all('directory list', { from, limit }, (db, param) =>
        db
          .selectFrom('directory_users')
          .select(COLUMNS)
          .where('number', '>=', param('from'))
          .orderBy('number')
          .limit(param('limit')),
      );
    },
    findPerson: (id) =>
      session.first('directory person', { id }, (db, param) =>
        db.selectFrom('directory_users').select(COLUMNS).where('user_id', '=', param('id')),
      ),
    async listCountries(userIds) {
      const countries = new Map<string, string>();
      for (const { user_id, country } of await rowsOf(userIds)) if (country !== null) countries.set(user_id, country);
      return countries;
    },
    async put(people) {
      // If a user occurs twice, the last entry counts.
      const input = [...new Map(people.map((person) => [person.user_id, person])).values()];
      const { next_number } = await lockedState();
      const rows = await rowsOf(input.map(({ user_id }) => user_id));
      const known = new Map(rows.map(({ user_id, number }) => [user_id, number]));
      let next = next_number;
      const numbered = input.map((person) => ({ ...person, number: known.get(person.user_id) ?? next++ }));
      await insertRows(session, 'directory_users', numbered, {
        columns: COLUMNS,
        onConflict: { key: ['number'], replace: IMPORTED },
      });
      if (next > next_number) await changeState({ next_number: next });
      return { added: next - next_number, changed: known.size, people: numbered };
    },
    async findNext(mark) {
      const row = await states.find('name', NAME);
      return { version: (row?.version ?? 0) + 1, mark, people: row?.next_number ?? 0 };
    },
    async settle(mark) {
      const { version, next_number } = await lockedState();
      const state = { version: version + 1, mark, people: next_number };
      await changeState(state);
      return state;
    },
    findProgress: async (source) => (await imports.find('source', source))?.done ?? 0,
    async saveProgress(source, done) {
      await session.run('directory progress', { source, done }, (db, param) =>
        db
          .insertInto('directory_imports')
          .values({ source: param('source'), done: param('done') })
          .onConflict((conflict) => conflict.column('source').doUpdateSet({ done: sql.ref('excluded.done') })),
      );
    },
    async clearProgress(source) {
      await session.run('directory progress end', { source }, (db, param) =>
        db.deleteFrom('directory_imports').where('source', '=', param('source')),
      );
    },
  };
}
