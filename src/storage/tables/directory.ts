import {
  type DirectoryState,
  type NumberedPerson,
  PERSON_LISTS,
  PERSON_WORDS,
  type Person,
} from '../../contract/store/directory.ts';
import { insertNew, insertRows } from '../core/bulk-insert.ts';
import { allListed, inList } from '../core/in-lists.ts';
import { Table } from '../core/table.ts';
import { deleteRows, findRow, lockRow, updateRows } from '../core/table-rows.ts';

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

/** Maximum number of users per statement. */
const LOOKED_UP = 200;
/** The name of the only directory. */
const NAME = 'people';

type StateRow = DirectoryState & { readonly next_number: number };

/** The stored directory: the source of truth for its image. */
export class Directory extends Table {
  async findState(): Promise<DirectoryState> {
    const row = await findRow(this.session, 'directory_state', { name: NAME });
    return { version: row?.version ?? 0, mark: row?.mark ?? '', people: row?.people ?? 0 };
  }

  /** People by number, from a number on. */
  list(from: number, limit: number) {
    return this.session.all('directory list', { from, limit }, (db, param) =>
      db
        .selectFrom('directory_users')
        .select(COLUMNS)
        .where('number', '>=', param('from'))
        .orderBy('number')
        .limit(param('limit')),
    );
  }

  /** A user of the platform. */
  findPerson(id: string) {
    return this.session.first('directory person', { id }, (db, param) =>
      db.selectFrom('directory_users').select(COLUMNS).where('user_id', '=', param('id')),
    );
  }

  /** The countries of these users by id; users whose country is unknown are absent. */
  async listCountries(userIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const countries = new Map<string, string>();
    for (const { user_id, country } of await this.#rowsOf(userIds))
      if (country !== null) countries.set(user_id, country);
    return countries;
  }

  /** Inserts or replaces people; if one occurs twice, the last entry wins. */
  async put(people: readonly Person[]): Promise<{
    readonly added: number;
    readonly changed: number;
    readonly people: readonly NumberedPerson[];
  }> {
    // If a user occurs twice, the last entry counts.
    const input = [...new Map(people.map((person) => [person.user_id, person])).values()];
    const { next_number } = await this.#lockedState();
    const rows = await this.#rowsOf(input.map(({ user_id }) => user_id));
    const known = new Map(rows.map(({ user_id, number }) => [user_id, number]));
    let next = next_number;
    const numbered = input.map((person) => ({ ...person, number: known.get(person.user_id) ?? next++ }));
    await insertRows(this.session, 'directory_users', numbered, {
      columns: COLUMNS,
      onConflict: { key: ['number'], replace: IMPORTED },
    });
    if (next > next_number) await this.#changeState({ next_number: next });
    return { added: next - next_number, changed: known.size, people: numbered };
  }

  /** The state that `settle` would create now. */
  async findNext(mark: string): Promise<DirectoryState> {
    const row = await findRow(this.session, 'directory_state', { name: NAME });
    return { version: (row?.version ?? 0) + 1, mark, people: row?.next_number ?? 0 };
  }

  /** Creates a new state with everything put since the last one. */
  async commitState(mark: string): Promise<DirectoryState> {
    const { version, next_number } = await this.#lockedState();
    const state = { version: version + 1, mark, people: next_number };
    await this.#changeState(state);
    return state;
  }

  /** Progress of an unfinished import; 0 when there is none. */
  async findProgress(source: string) {
    return (await findRow(this.session, 'directory_imports', { source }))?.done ?? 0;
  }

  async saveProgress(source: string, done: number) {
    await insertRows(this.session, 'directory_imports', [{ source, done }], {
      onConflict: { key: ['source'], replace: ['done'] },
    });
  }

  async clearProgress(source: string) {
    await deleteRows(this.session, 'directory_imports', { source });
  }

  /** The rows of the given users that exist. */
  async #rowsOf(userIds: readonly string[]): Promise<{ user_id: string; number: number; country: string | null }[]> {
    const found = [];
    for (let from = 0; from < userIds.length; from += LOOKED_UP) {
      const some = userIds.slice(from, from + LOOKED_UP);
      const rows = await allListed(this.session, 'directory users', some, {}, (db, ids) =>
        db
          .selectFrom('directory_users')
          .select(['user_id', 'number', 'country'])
          .where((eb) => inList(eb, 'user_id', ids)),
      );
      found.push(...rows);
    }
    return found;
  }

  /** Locks and returns the state, creating it if there is none. */
  async #lockedState(): Promise<StateRow> {
    const first = { name: NAME, version: 0, mark: '', people: 0, next_number: 0 };
    await insertNew(this.session, 'directory_state', first);
    return (await lockRow(this.session, 'directory_state', { name: NAME })) ?? first;
  }

  async #changeState(changes: Partial<StateRow>): Promise<void> {
    await updateRows(this.session, 'directory_state', changes, { name: NAME });
  }
}
