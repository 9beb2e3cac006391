import { formatInstant } from '../../base/instants.ts';
import { alphanumeric, secureRandom, seededRandom } from '../../base/random.ts';
import type { Services } from '../../contract/declare/operation.ts';
import type { AccessLevel, Profile } from '../../contract/store/credentials.ts';
import { accountIdSequence } from '../../features/ads/administration/account-ids.ts';
import type { AccountInput } from '../../features/ads/administration/account-input.ts';
import { importAccounts } from '../../features/ads/administration/apply-plan.ts';
import { fundingInstruments } from '../../features/ads/funding-instruments.ts';
import { takeId } from '../../features/platform/ids.ts';
import { hashPassword, RANDOM_PASSWORD_COST } from '../../features/platform/password-hashing.ts';
import { issueToken, type Registrar, registerApplication, registerUser } from '../../features/platform/registration.ts';
import type { DemoDependencies, DemoKeys } from '../demo-world.ts';
import { nthUserId, type WorldNames } from '../world-keys.ts';
import { type AccountIds, planOf } from './account-object.ts';
import type { Complaints } from './checker.ts';
import { fillAccount } from './fill-account.ts';
import { draftOf, namesOf } from './identities.ts';
import type { Operations } from './sections.ts';
import type { Described, World, WorldAccount, WorldApplication } from './world.ts';

/** The dependencies of a new world. */
export interface WorldDependencies extends DemoDependencies {
  readonly operations: Operations;
  readonly accountInput: AccountInput;
  /** Hashes a password that a person chose. */
  readonly hashPassword: (password: string) => Promise<string>;
}

/** The dependencies of a new world with the contents of its accounts. */
export interface FullDependencies extends WorldDependencies {
  readonly services: Services;
}

/** A world whose users, applications and accounts exist. */
export interface Begun extends Identities {
  readonly accounts: readonly { readonly account: WorldAccount; readonly ids: AccountIds }[];
}

/**
 * Creates the users, applications and tokens of a world in one unit of work; with its accounts, unless `isEmpty`. The same
 * seed makes the same ids and keys.
 */
export async function beginWorld(
  deps: WorldDependencies,
  world: World,
  complaints: Complaints,
  { isEmpty = false } = {},
): Promise<Begun> {
  const { services, box, settings, accountInput } = deps;
  const random = seededRandom(settings.seed, 'world');
  const now = formatInstant(services.clock.now());
  const passwords = passwordsOf(world, random);
  // Generated passwords cannot be guessed, so a cheap hash is enough. @source decision 907
  const hashes = await Promise.all(
    passwords.map((each, index) =>
      world.users[index]!.input.password == null
        ? hashPassword(each, secureRandom, RANDOM_PASSWORD_COST)
        : deps.hashPassword(each),
    ),
  );
  const logins = passwords.map((password, index) => ({ password, hash: hashes[index]! }));
  return services.store.write(async (tx) => {
    const registrar: Registrar = { tx, box, random, now };
    const identities = await createIdentities(registrar, world, logins);
    const accounts: { account: WorldAccount; ids: AccountIds }[] = [];
    for (const account of isEmpty ? [] : world.accounts) {
      const ids = await idsOf(registrar, account, identities.users);
      accounts.push({ account, ids });
    }
    const plans = accounts.map(({ account, ids }) => planOf(account, ids, { accountInput, complaints, now })!);
    await importAccounts(registrar, plans);
    return { ...identities, accounts };
  });
}

/** Takes the ids of an account. */
async function idsOf(
  { tx, random }: Registrar,
  { environment, funding, members }: WorldAccount,
  users: ReadonlyMap<string, string>,
): Promise<AccountIds> {
  const id = members.get('id')?.value;
  const account = typeof id === 'string' ? id : await takeId(tx, random, accountIdSequence(environment));
  const instruments: string[] = [];
  for (const _ of funding) {
    const sequence = { kind: fundingInstruments.name, start: fundingInstruments.ids.from };
    instruments.push(await takeId(tx, random, sequence));
  }
  return { account, instruments, user: (key) => users.get(key)! };
}

/**
 * Creates a world: users, applications and accounts together, then everything else by the operations of the API. Complains
 * of refusals, after which the world is incomplete. `folder` has the files that the world names.
 * @returns its keys for `dev.json`.
 * @source decision 883
 */
export async function createWorld(
  deps: FullDependencies,
  world: World,
  { complaints, folder }: { readonly complaints: Complaints; readonly folder: string },
): Promise<DemoKeys> {
  const begun = await beginWorld(deps, world, complaints);
  const ids: Record<string, string> = {};
  for (const { account, ids: own } of begun.accounts) {
    ids[`accounts.${account.key}`] = own.account;
    for (const [index, { key }] of account.funding.entries()) {
      ids[`accounts.${account.key}.funding.${key}`] = own.instruments[index]!;
    }
  }
  await Promise.all(begun.accounts.map((each) => fillAccount(deps, begun, each, { complaints, ids, folder })));
  return { ...begun.keys, ...ids } as unknown as DemoKeys;
}

/** A registered user, application and token of a world. */
interface Identities {
  /** Ids of users, by name. */
  readonly users: ReadonlyMap<string, string>;
  /** The keys in `dev.json`. */
  readonly keys: Readonly<Record<string, string>>;
  /** The application that calls, with one of its tokens. */
  readonly caller: { readonly application: string; readonly tokenId: string; readonly token: string };
}

/** The password of a user, and its hash. */
interface Login {
  readonly password: string;
  readonly hash: string;
}

const text = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : String(value);

/** The passwords of the users, generated where the file has none. */
export function passwordsOf({ users }: World, random: Registrar['random']): string[] {
  return users.map(({ input }) => text(input.password) ?? alphanumeric(random, 16));
}

/** The prefixes of the keys of the nth entry: its name, and for the first, or the second, that of the demo world. */
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
async function createIdentities(registrar: Registrar, world: World, logins: readonly Login[]): Promise<Identities> {
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
  const keys = {
    ...(consumer_key != null && { consumerKey: String(consumer_key) }),
    ...(consumer_secret != null && { consumerSecret: String(consumer_secret) }),
  };
  const owner = of.users.get(application.owner)!;
  const registered = await registerApplication(registrar, owner, draft, { demo: of.isFirst, given: keys });
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
