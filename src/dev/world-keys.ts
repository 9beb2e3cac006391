import type { SecretBox } from '../base/secret-box.ts';
import type { AccessToken, Application, User } from '../contract/store/credentials.ts';
import { secretContext } from '../contract/store/sealed-columns.ts';
import { verifyPassword } from '../features/platform/password-hashing.ts';
import { FIRST_USER_ID } from '../features/platform/registration.ts';
import type { Credentials } from '../storage/tables/credentials.ts';
import type { ReadTransaction, Store } from '../storage/unit-of-work.ts';

/** Keys, passwords and ids by the names that they have in `dev.json`. */
export type Keys = Readonly<Record<string, string>>;

/**
 * The parts of a world that are not in the database: the names of users and applications in `dev.json` (prefixes of their
 * keys, such as `other_`), and the passwords of users, of which only hashes are stored.
 */
export interface WorldNames {
  readonly users: readonly { readonly prefix: string; readonly id: string; readonly password: string | undefined }[];
  readonly applications: readonly { readonly prefix: string; readonly id: string }[];
  /** The path of the file of a world and the ids of what it describes; nothing for the demo world. */
  readonly others: Keys;
}

/** The id of a user of a world, which are registered first. */
export const nthUserId = (index: number): string => String(Number(FIRST_USER_ID) + index);

/**
 * The names in keys that were right once: an application is found by its key or by a token, which remain in the database
 * when they are replaced or revoked.
 * @returns undefined for keys of another database.
 */
export async function namesInKeys({ credentials }: ReadTransaction, known: Keys): Promise<WorldNames | undefined> {
  const users = prefixesOf(known, 'user_id').map((prefix) => ({
    prefix,
    id: known[`${prefix}user_id`]!,
    password: known[`${prefix}password`],
  }));
  const prefixes = prefixesOf(known, 'consumer_key');
  const ids = new Map<string, string>();
  for (const prefix of prefixes) {
    const tokens = users.map((user) => known[`${prefix}${user.prefix}access_token`]);
    const id = await applicationOf(credentials, known[`${prefix}consumer_key`]!, tokens);
    if (id !== undefined) ids.set(prefix, id);
  }
  if (ids.size === 0) return undefined;
  const demo = await credentials.findDemo();
  // The applications of a file are registered first, in its order.
  const named = prefixes.filter((prefix) => prefix !== '');
  const usual = (prefix: string): string | undefined => {
    if (prefix === '') return demo?.id;
    return known.world === undefined ? undefined : String(named.indexOf(prefix) + 1);
  };
  const applications = prefixes.flatMap((prefix) => {
    const id = ids.get(prefix) ?? usual(prefix);
    return id === undefined ? [] : [{ prefix, id }];
  });
  const others = Object.entries(known).filter(([name]) => name === 'world' || name.includes('.'));
  return { users, applications, others: Object.fromEntries(others) };
}

/** The prefixes of the keys with a suffix, such as `other_`; that of the first is empty. */
export function prefixesOf(known: Readonly<Record<string, unknown>>, suffix: string): string[] {
  return Object.keys(known).flatMap((name) =>
    !name.includes('.') && (name === suffix || name.endsWith(`_${suffix}`)) ? [name.slice(0, -suffix.length)] : [],
  );
}

type Reading = Pick<Credentials, 'findApplicationByKey' | 'findToken'>;

async function applicationOf(
  credentials: Reading,
  key: string,
  tokens: readonly (string | undefined)[],
): Promise<string | undefined> {
  const found = await credentials.findApplicationByKey(key);
  if (found) return found.id;
  for (const token of tokens) {
    const row = token === undefined ? undefined : await credentials.findToken(token);
    if (row) return row.application_id;
  }
  return undefined;
}

/** Reads the keys of a world as they are now. */
export interface WorldKeysReader {
  /**
   * Omits invalid members: changed passwords, and tokens of users who have revoked all.
   * @param known the keys until now: of several tokens, theirs remains.
   */
  read(known: Keys): Promise<Keys>;
}

/** A reader of the world with these names. `isSure`: their passwords are right unless they were changed. */
export function worldKeysReader(
  { store, box }: { readonly store: Store; readonly box: SecretBox },
  names: WorldNames,
  { isSure }: { readonly isSure: boolean },
): WorldKeysReader {
  /** The hashes that the passwords match, by user. */
  const matched = new Map<string, string>();
  const isRight = async ({ id, password_hash: hash, password_changed_at: changed }: User, password: string) => {
    const isKnown = matched.get(id) === hash || (isSure && changed === null);
    if (!isKnown && !(await verifyPassword(password, hash))) return false;
    matched.set(id, hash);
    return true;
  };
  return {
    async read(known) {
      const rows = await store.read((tx) => rowsOf(tx, names));
      const keys: Record<string, string> = {};
      const addApplication = (prefix: string, id: string): void => {
        const application = rows.applications.get(id)!;
        keys[`${prefix}consumer_key`] = application.consumer_key;
        keys[`${prefix}consumer_secret`] = box.open(application.consumer_secret, secretContext.application(id));
        for (const user of names.users) {
          const name = `${prefix}${user.prefix}access_token`;
          const token = tokenOf(rows.tokens, { user: user.id, application: id, known: known[name] });
          if (!token) continue;
          keys[name] = token.token;
          keys[`${name}_secret`] = box.open(token.token_secret, secretContext.token(token.id));
        }
      };
      const first = names.applications.find(({ prefix }) => prefix === '');
      if (first) addApplication('', first.id);
      const users = names.users.flatMap((each) => {
        const row = rows.users.get(each.id);
        return row ? [{ ...each, row }] : [];
      });
      for (const { prefix, id } of users) keys[`${prefix}user_id`] = id;
      for (const { prefix, password, row } of users) {
        keys[`${prefix}username`] = row.screen_name;
        if (password !== undefined && (await isRight(row, password))) keys[`${prefix}password`] = password;
      }
      const callback = first && (JSON.parse(rows.applications.get(first.id)!.callbacks) as string[])[0];
      if (callback !== undefined) keys.callback_url = callback;
      for (const { prefix, id } of names.applications) if (prefix !== '') addApplication(prefix, id);
      return { ...keys, ...names.others };
    },
  };
}

interface Rows {
  readonly users: ReadonlyMap<string, User>;
  readonly applications: ReadonlyMap<string, Application>;
  /** Those that are not revoked. */
  readonly tokens: readonly AccessToken[];
}

async function rowsOf({ credentials }: ReadTransaction, { users, applications }: WorldNames): Promise<Rows> {
  const found = {
    users: new Map<string, User>(),
    applications: new Map<string, Application>(),
    tokens: [] as AccessToken[],
  };
  for (const id of new Set(users.map((each) => each.id))) {
    const user = await credentials.findUser(id);
    if (!user) continue;
    found.users.set(id, user);
    found.tokens.push(...(await credentials.listTokensOf(id)));
  }
  for (const id of new Set(applications.map((each) => each.id))) {
    const application = await credentials.findApplication(id);
    if (application) found.applications.set(id, application);
  }
  return found;
}

/** The token that is known, otherwise the one that was issued last. */
function tokenOf(
  tokens: readonly AccessToken[],
  {
    user,
    application,
    known,
  }: { readonly user: string; readonly application: string; readonly known?: string | undefined },
): AccessToken | undefined {
  const own = tokens.filter((each) => each.user_id === user && each.application_id === application);
  return own.find(({ token }) => token === known) ?? own.sort((a, b) => Number(b.id) - Number(a.id))[0];
}
