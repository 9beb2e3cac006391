import { formatInstant } from '../../base/instants.ts';
import { secureRandom, seededRandom } from '../../base/random.ts';
import type { Services } from '../../contract/declare/operation.ts';
import { accountIdSequence } from '../../features/ads/administration/account-ids.ts';
import type { AccountInput } from '../../features/ads/administration/account-input.ts';
import { importAccounts } from '../../features/ads/administration/import-accounts.ts';
import { fundingInstruments } from '../../features/ads/funding-instruments.ts';
import { takeId } from '../../features/platform/ids.ts';
import { hashPassword, RANDOM_PASSWORD_COST } from '../../features/platform/password-hashing.ts';
import type { Registrar } from '../../features/platform/registration.ts';
import type { DemoDependencies, DemoKeys } from '../demo-world.ts';
import { type AccountIds, planOf } from './account-object.ts';
import type { Complaints } from './checker.ts';
import { createIdentities, type Identities, passwordsOf } from './create-identities.ts';
import { fillAccount } from './fill-account.ts';
import type { Operations } from './sections.ts';
import type { World, WorldAccount } from './world.ts';

/** What creating a world depends on. */
export interface WorldDependencies extends DemoDependencies {
  readonly operations: Operations;
  readonly accountInput: AccountInput;
  /** Hashes a password that a person chose. */
  readonly hashPassword: (password: string) => Promise<string>;
}

/** What creating everything in a world depends on. */
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
  // Nobody finds generated ones by trying. @source decision 907
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
  const given = members.get('id')?.value;
  const account = typeof given === 'string' ? given : await takeId(tx, random, accountIdSequence(environment));
  const instruments: string[] = [];
  for (const _ of funding) {
    const sequence = { kind: fundingInstruments.name, start: fundingInstruments.ids.from };
    instruments.push(await takeId(tx, random, sequence));
  }
  return { account, instruments, user: (key) => users.get(key)! };
}

/**
 * Creates a world: users, applications and accounts together, then everything else by the operations of the API. Complains
 * of what they refuse; then not everything exists. `folder` is where the files are that the world names.
 * @returns what `dev.json` says of it.
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
