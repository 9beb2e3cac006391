import { alphanumeric } from '../../base/random.ts';
import type { AccessLevel, Profile } from '../../contract/store/credentials.ts';
import { issueToken, type Registrar, registerApplication, registerUser } from '../../features/platform/registration.ts';
import { nthUserId, type WorldNames } from '../world-keys.ts';
import { draftOf, namesOf } from './identities.ts';
import type { Described, World, WorldApplication } from './world.ts';

/** A registered user, application and token of a world. */
export interface Identities {
  /** Ids of users, by name. */
  readonly users: ReadonlyMap<string, string>;
  /** What development mode writes to `dev.json`. */
  readonly keys: Readonly<Record<string, string>>;
  /** The application that calls, with one of its tokens. */
  readonly caller: { readonly application: string; readonly tokenId: string; readonly token: string };
}

/** A user with a password, given or generated, and its hash. */
export interface Login {
  readonly password: string;
  readonly hash: string;
}

const text = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : String(value);

/** The passwords of the users: those that are not given are generated. */
export function passwordsOf({ users }: World, random: Registrar['random']): string[] {
  return users.map(({ input }) => text(input.password) ?? alphanumeric(random, 16));
}

/** What the keys of the nth entry begin with: its name, and for the first, or the second, what the demo world has. */
const prefixesOf = ({ key }: { readonly key: string }, nth: number, second?: string): string[] => {
  const plain = ['', second][nth];
  return plain === undefined ? [`${key}_`] : [plain, `${key}_`];
};

/** The names of a world as `createIdentities` has registered it in an empty database. */
export function namesIn(world: World, passwords: readonly string[]): Omit<WorldNames, 'others'> {
  return {
    users: world.users.flatMap((user, nth) =>
      prefixesOf(user, nth, 'other_').map((prefix) => ({ prefix, id: nthUserId(nth), password: passwords[nth] })),
    ),
    applications: world.applications.flatMap((application, nth) =>
      prefixesOf(application, nth).map((prefix) => ({ prefix, id: String(nth + 1) })),
    ),
  };
}

/**
 * Registers the users and applications of a world. The first application and user have the plain names of keys, as in the
 * demo world; the second user has those that begin with `other_`; and each has those that begin with its name.
 * @source decision 884
 */
export async function createIdentities(
  registrar: Registrar,
  world: World,
  logins: readonly Login[],
): Promise<Identities> {
  const users = new Map<string, string>();
  const keys: Record<string, string> = {};
  for (const [index, user] of world.users.entries()) {
    const { username, name } = namesOf(user);
    const { email, description, location, url, verified_type } = user.input;
    const profile = Object.fromEntries(
      Object.entries({ description, location, url, verified_type }).filter(([, value]) => value != null),
    ) as Partial<Profile>;
    const { password, hash } = logins[index]!;
    const draft = { screenName: username, name, passwordHash: hash, email: text(email), profile };
    const id = await registerUser(registrar, draft);
    users.set(user.key, id);
    for (const prefix of prefixesOf(user, index, 'other_')) {
      Object.assign(keys, {
        [`${prefix}user_id`]: id,
        [`${prefix}username`]: username,
        [`${prefix}password`]: password,
      });
    }
  }
  let caller: Identities['caller'] | undefined;
  for (const [index, application] of world.applications.entries()) {
    const made = await createApplication(registrar, application, { users, isFirst: index === 0, world });
    for (const prefix of prefixesOf(application, index)) {
      keys[`${prefix}consumer_key`] = made.consumerKey;
      keys[`${prefix}consumer_secret`] = made.consumerSecret;
      for (const { user, token, tokenSecret } of made.tokens) {
        const nth = world.users.findIndex(({ key }) => key === user);
        for (const inner of prefixesOf(world.users[nth]!, nth, 'other_')) {
          keys[`${prefix}${inner}access_token`] = token;
          keys[`${prefix}${inner}access_token_secret`] = tokenSecret;
        }
      }
    }
    if (index === 0) keys.callback_url = draftOf(application).callbacks[0]!;
    caller ??= { application: made.id, tokenId: made.tokens[0]?.id ?? '', token: made.tokens[0]?.token ?? '' };
  }
  return { users, keys, caller: caller! };
}

async function createApplication(
  registrar: Registrar,
  application: WorldApplication,
  of: { readonly users: ReadonlyMap<string, string>; readonly isFirst: boolean; readonly world: World },
) {
  const draft = draftOf(application);
  const { consumer_key, consumer_secret } = application.input;
  const given = {
    ...(consumer_key != null && { consumerKey: String(consumer_key) }),
    ...(consumer_secret != null && { consumerSecret: String(consumer_secret) }),
  };
  const owner = of.users.get(application.owner)!;
  const registered = await registerApplication(registrar, owner, draft, { demo: of.isFirst, given });
  const wanted: readonly Pick<Described, 'key' | 'input'>[] =
    application.tokens ?? of.world.users.map(({ key }) => ({ key, input: {} }));
  const tokens = [];
  for (const { key, input } of wanted) {
    const level = (input.access_level ?? draft.access_level) as AccessLevel;
    const token = { application: registered.id, user: of.users.get(key)!, level };
    const parts = { token: text(input.access_token), tokenSecret: text(input.access_token_secret) };
    tokens.push({ user: key, ...(await issueToken(registrar, token, parts)) });
  }
  return { ...registered, tokens };
}
