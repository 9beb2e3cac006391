import { sql } from 'kysely';
import {
  type Directory,
  type DirectoryState,
  PERSON_LISTS,
  PERSON_WORDS,
  type Person,
} from '../../contract/store/directory.ts';
import { bindList, paddedSize, whereIn } from '../core/in-lists.ts';
import type { Session } from '../core/session.ts';
import type { Value } from '../core/statements.ts';
import { tableRows } from '../core/table-rows.ts';

/** The columns that an import may change. */
const TOLD = [
  ...PERSON_WORDS,
  'age',
  'activated_at',
  ...PERSON_LISTS,
  'last_active_at',
  'identifiers',
] as const satisfies readonly (keyof Person)[];
const COLUMNS = ['number', 'user_id', ...TOLD];

/** Rows in one statement, from many to few. */
const SIZES = [250, 50, 10, 1];
/** There is one directory. */
const NAME = 'people';

type StateRow = DirectoryState & { readonly next_number: number };

/** The people of the platform. */
export function peopleOn(session: Session): Directory {
  const { statements } = session;
  const states = tableRows(session, 'directory_state');
  const imports = tableRows(session, 'directory_imports');

  /** What a column says of those of some users whom the directory has. */
  async function told(column: 'number' | 'country', userIds: readonly string[]): Promise<[string, Value][]> {
    const found: [string, Value][] = [];
    for (let from = 0; from < userIds.length; from += SIZES[0]!) {
      const ids = userIds.slice(from, from + SIZES[0]!);
      const size = paddedSize(ids.length);
      const statement = statements.cached(`directory ${column} ${size}`, (db, param) =>
        whereIn(db.selectFrom('directory_users').select(['user_id', column]), 'user_id', size, param),
      );
      const args: Record<string, Value> = {};
      bindList(args, 'user_id', ids, size);
      for (const row of await session.all(statement, args)) found.push([row.user_id, row[column]]);
    }
    return found;
  }

  async function numbersOf(userIds: readonly string[]): Promise<Map<string, number>> {
    return new Map((await told('number', userIds)) as [string, number][]);
  }

  /** The state, which other units wait for; a directory without people gets its first. */
  async function lockedState(): Promise<StateRow> {
    const first = { name: NAME, version: 0, mark: '', people: 0, next_number: 0 };
    const begin = statements.cached('directory begin', (db, param) =>
      db
        .insertInto('directory_state')
        .values(Object.fromEntries(Object.keys(first).map((name) => [name, param(name)])))
        .onConflict((conflict) => conflict.doNothing()),
    );
    await session.run(begin, first);
    return states.lock('name', NAME);
  }

  async function changeState(changes: Partial<StateRow>): Promise<void> {
    const columns = Object.keys(changes);
    const statement = statements.cached(`directory state ${columns}`, (db, param) =>
      db
        .updateTable('directory_state')
        .set(Object.fromEntries(columns.map((name) => [name, param(name)])))
        .where('name', '=', param('key_name')),
    );
    await session.run(statement, { ...changes, key_name: NAME });
  }

  async function store(people: readonly (Person & { number: number })[]): Promise<void> {
    for (let done = 0; done < people.length; ) {
      const size = SIZES.find((each) => each <= people.length - done)!;
      const statement = statements.cached(`directory put ${size}`, (db, param) =>
        db
          .insertInto('directory_users')
          .values(
            Array.from({ length: size }, (_, index) =>
              Object.fromEntries(COLUMNS.map((name) => [name, param(`${name}.${index}`)])),
            ),
          )
          .onConflict((conflict) =>
            conflict
              .column('number')
              .doUpdateSet(Object.fromEntries(TOLD.map((name) => [name, sql.ref(`excluded.${name}`)]))),
          ),
      );
      const args: Record<string, Value> = {};
      for (let index = 0; index < size; index++) {
        const person = people[done + index]! as unknown as Record<string, Value>;
        for (const name of COLUMNS) args[`${name}.${index}`] = person[name]!;
      }
      await session.run(statement, args);
      done += size;
    }
  }

  return {
    async findState() {
      const row: StateRow | undefined = await states.find('name', NAME);
      return { version: row?.version ?? 0, mark: row?.mark ?? '', people: row?.people ?? 0 };
    },
    async list(from, limit) {
      const statement = statements.cached('directory list', (db, param) =>
        db
          .selectFrom('directory_users')
          .select(COLUMNS)
          .where('number', '>=', param('from'))
          .orderBy('number')
          .limit(param('limit')),
      );
      return session.all(statement, { from, limit });
    },
    async listCountries(userIds) {
      const countries = await told('country', userIds);
      return new Map(countries.filter((each): each is [string, string] => each[1] !== null));
    },
    async put(people) {
      // Of a user who is given twice the last word counts.
      const input = [...new Map(people.map((person) => [person.user_id, person])).values()];
      const { next_number } = await lockedState();
      const known = await numbersOf(input.map(({ user_id }) => user_id));
      let next = next_number;
      const numbered = input.map((person) => ({ ...person, number: known.get(person.user_id) ?? next++ }));
      await store(numbered);
      if (next > next_number) await changeState({ next_number: next });
      return { added: next - next_number, changed: known.size };
    },
    async settle(mark) {
      const { version, next_number } = await lockedState();
      const state = { version: version + 1, mark, people: next_number };
      await changeState(state);
      return state;
    },
    findProgress: async (source) => (await imports.find('source', source))?.done ?? 0,
    async saveProgress(source, done) {
      const statement = statements.cached('directory progress', (db, param) =>
        db
          .insertInto('directory_imports')
          .values({ source: param('source'), done: param('done') })
          .onConflict((conflict) => conflict.column('source').doUpdateSet({ done: sql.ref('excluded.done') })),
      );
      await session.run(statement, { source, done });
    },
    async clearProgress(source) {
      const statement = statements.cached('directory progress end', (db, param) =>
        db.deleteFrom('directory_imports').where('source', '=', param('source')),
      );
      await session.run(statement, { source });
    },
  };
}
