import { formatInstant } from '../base/instants.ts';
import { alphanumeric, type Random, secureRandom, seededRandom } from '../base/random.ts';
import type { SecretBox } from '../base/secret-box.ts';
import type { Services } from '../contract/declare/operation.ts';
import type { AnyResource } from '../contract/declare/resource.ts';
import type { Role } from '../contract/declare/roles.ts';
import { ConstraintViolated } from '../contract/store/errors.ts';
import { SANDBOX_FEATURES } from '../features/ads/account-features.ts';
import { accounts, newAccount } from '../features/ads/accounts.ts';
import { fundingInstruments } from '../features/ads/funding-instruments.ts';
import { newPromotableUser, promotableUsers } from '../features/ads/promotable-users.ts';
import { hashPassword, RANDOM_PASSWORD_COST } from '../features/platform/password-hashing.ts';
import { issueToken, type Registrar, registerApplication, registerUser } from '../features/platform/registration.ts';
import type { ReadTransaction, WriteTransaction } from '../storage/unit-of-work.ts';
import {
  DEMO_APPLICATION,
  DEMO_CALLBACK,
  LEVEL_APPLICATIONS,
  LEVELS,
  type LevelApplication,
} from './demo-application.ts';
import { addLevelApplication, type LevelKeys } from './level-applications.ts';
import { nthUserId, type WorldNames } from './world-keys.ts';

/** The credentials of the demo world: what a client needs to log in and to sign. */
export interface DemoKeys extends LevelKeys {
  readonly consumer_key: string;
  readonly consumer_secret: string;
  readonly access_token: string;
  readonly access_token_secret: string;
  readonly other_access_token: string;
  readonly other_access_token_secret: string;
  readonly user_id: string;
  readonly other_user_id: string;
  readonly username: string;
  readonly password: string;
  readonly other_username: string;
  readonly other_password: string;
  readonly callback_url: string;
  /** The file of a world that is not the demo world. Its keys have names of their own too. */
  readonly world?: string;
}

/** The dependencies of a new demo world. */
export interface DemoDependencies {
  readonly settings: { readonly seed: number };
  readonly box: SecretBox;
  readonly services: Pick<Services, 'store' | 'clock' | 'ids'>;
}

// Ids of production accounts have eleven characters.
const PRODUCTION_ACCOUNT_FROM = 36 ** 10 + 36 ** 9 * 8;

/**
 * Creates the demo world in an empty database: two users, an application and another that may read messages, tokens of
 * both users for each, and a production account that the first user administers and the second may view. The same seed
 * creates the same ids and keys. `isEmpty`: without the account.
 * @source decision 4
 */
export async function createDemoWorld(deps: DemoDependencies, { isEmpty = false } = {}): Promise<DemoKeys> {
  const random = seededRandom(deps.settings.seed, 'demo');
  const accountNumber = random.bytes(4).readUInt32BE();
  const accountIds = isEmpty ? undefined : await accountIdsOf(deps);
  const people = peopleOf(random);
  const now = formatInstant(deps.services.clock.now());
  // Salts are never repeatable.
  const hash = (password: string) => hashPassword(password, secureRandom, RANDOM_PASSWORD_COST);
  const [adaHash, benHash] = await Promise.all([hash(people[0].password), hash(people[1].password)]);
  return deps.services.store.write(async (tx) => {
    const registrar: Registrar = { tx, box: deps.box, random, now };
    const ada = await registerUser(registrar, { ...people[0], passwordHash: adaHash });
    const ben = await registerUser(registrar, { ...people[1], passwordHash: benHash });
    const application = await registerApplication(registrar, ada, DEMO_APPLICATION, { demo: true });
    const own = await issueToken(registrar, {
      application: application.id,
      user: ada,
      level: DEMO_APPLICATION.access_level,
    });
    const other = await issueToken(registrar, {
      application: application.id,
      user: ben,
      level: DEMO_APPLICATION.access_level,
    });
    const account = accountIdOf(accountNumber);
    if (accountIds) {
      await createAccount(tx, {
        account,
        now,
        ...accountIds,
        users: [
          [ada, 'ACCOUNT_ADMIN'],
          [ben, 'CAMPAIGN_ANALYST'],
        ],
      });
    }
    const levels = await addApplications(deps, tx, LEVELS, { first: ada, other: ben });
    return {
      consumer_key: application.consumerKey,
      consumer_secret: application.consumerSecret,
      access_token: own.token,
      access_token_secret: own.tokenSecret,
      other_access_token: other.token,
      other_access_token_secret: other.tokenSecret,
      user_id: ada,
      other_user_id: ben,
      username: people[0].screenName,
      password: people[0].password,
      other_username: people[1].screenName,
      other_password: people[1].password,
      callback_url: DEMO_CALLBACK,
      ...(levels as LevelKeys),
    };
  });
}

const peopleOf = (random: Random) =>
  [
    { screenName: 'ada_demo', name: 'Ada Demo', password: alphanumeric(random, 16) },
    { screenName: 'ben_demo', name: 'Ben Demo', password: alphanumeric(random, 16) },
  ] as const;

const accountIdOf = (number: number): string => (PRODUCTION_ACCOUNT_FROM + number).toString(36);

/** The id of the account of the demo world. */
export function demoAccountId({ seed }: DemoDependencies['settings']): string {
  return accountIdOf(seededRandom(seed, 'demo').bytes(4).readUInt32BE());
}

/**
 * The names of a demo world whose keys are nowhere else, with the passwords that the seed gives; undefined when the world is
 * another.
 */
export async function demoNames(
  { credentials }: ReadTransaction,
  { seed }: DemoDependencies['settings'],
): Promise<WorldNames | undefined> {
  const random = seededRandom(seed, 'demo');
  random.bytes(4);
  const people = peopleOf(random);
  const [demo, first] = [await credentials.findDemo(), await credentials.findUser(nthUserId(0))];
  if (!demo || (demo.name !== DEMO_APPLICATION.name && first?.screen_name !== people[0].screenName)) return undefined;
  return {
    users: ['', 'other_'].map((prefix, nth) => ({ prefix, id: nthUserId(nth), password: people[nth]!.password })),
    applications: [{ prefix: '', id: demo.id }],
    others: {},
  };
}

/**
 * Completes the names with the applications that have none: found by their own names, otherwise made, as for demo worlds
 * of earlier releases.
 * @source decision 602, 882
 */
export async function withLevelApplications(deps: DemoDependencies, names: WorldNames): Promise<WorldNames> {
  const { store } = deps.services;
  const lacking = LEVELS.filter((which) => !names.applications.some(({ prefix }) => prefix === `${which}_`));
  if (lacking.length === 0) return names;
  const find = async (which: LevelApplication): Promise<string | undefined> => {
    const { name } = LEVEL_APPLICATIONS[which];
    return (await store.read((tx) => tx.credentials.findApplicationByName(name)))?.id;
  };
  const added = [];
  for (const which of lacking) {
    const found = await find(which);
    if (found === undefined) await addAgain(deps, which, names);
    added.push({ prefix: `${which}_`, id: found ?? (await find(which))! });
  }
  return { ...names, applications: [...names.applications, ...added] };
}

/** With other keys than the seed gives, if an application that was renamed has these. */
async function addAgain(deps: DemoDependencies, which: LevelApplication, { users }: WorldNames): Promise<void> {
  const userOf = (prefix: string): string => users.find((each) => each.prefix === prefix)!.id;
  const owners = { first: userOf(''), other: userOf('other_') };
  const add = (random?: Random) =>
    deps.services.store.write((tx) => addApplications(deps, tx, [which], owners, random)).then(() => undefined);
  await add().catch((error: unknown) => {
    if (!(error instanceof ConstraintViolated)) throw error;
    return add(secureRandom);
  });
}

/**
 * Uses random streams of their own for the keys, so that a seed still creates all other keys as before.
 * @source decision 602
 */
async function addApplications(
  { settings, services, box }: DemoDependencies,
  tx: WriteTransaction,
  which: readonly LevelApplication[],
  users: { readonly first: string; readonly other: string },
  own?: Random,
): Promise<Partial<LevelKeys>> {
  const now = formatInstant(services.clock.now());
  let keys: Partial<LevelKeys> = {};
  for (const each of which) {
    const random = own ?? seededRandom(settings.seed, `demo ${each}`);
    keys = { ...keys, ...(await addLevelApplication({ tx, box, random, now }, each, users)) };
  }
  return keys;
}

async function accountIdsOf(deps: DemoDependencies): Promise<{ instrument: string; promotable: string }> {
  return { instrument: await firstId(deps, fundingInstruments), promotable: await firstId(deps, promotableUsers) };
}

async function firstId(deps: DemoDependencies, { name, ids }: AnyResource): Promise<string> {
  const [id] = await deps.services.ids.take(name, ids.from, 1);
  return id!;
}

async function createAccount(
  tx: WriteTransaction,
  world: {
    account: string;
    instrument: string;
    promotable: string;
    now: string;
    users: readonly [[string, Role], ...[string, Role][]];
  },
): Promise<void> {
  const { account, instrument, promotable: id, now, users } = world;
  await tx.records.insert(accounts, newAccount({ id: account, environment: 'production', name: 'Demo account', now }));
  for (const [user, role] of users) {
    const composer = role === 'ACCOUNT_ADMIN' ? 1 : 0;
    await tx.accountMembers.add({ account_id: account, user_id: user, role, post_composer: composer });
  }
  await tx.accountMembers.addFeatures(account, [...SANDBOX_FEATURES, 'PROMOTED_MEDIA_POLLS']);
  const [[user]] = users;
  await tx.records.insert(promotableUsers, newPromotableUser({ id, account, user, type: 'FULL', now }));
  await tx.records.insert(fundingInstruments, {
    id: instrument,
    account_id: account,
    type: 'CREDIT_CARD',
    description: 'Visa ending in 0650',
    currency: 'USD',
    start_time: now,
    end_time: null,
    credit_limit_local_micro: null,
    funded_amount_local_micro: null,
    io_header: null,
    entity_status: 'ACTIVE',
    created_at: now,
    updated_at: now,
    deleted: 0,
  });
}
