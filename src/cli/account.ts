import { readFileSync, statSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { accountInput } from '../app/account-input.ts';
import { InputError } from '../base/input-error.ts';
import { isZone } from '../base/zones.ts';
import type { Environment } from '../contract/declare/account-state.ts';
import type { Row } from '../contract/declare/resource.ts';
import { ROLES } from '../contract/declare/roles.ts';
import type { PageQuery } from '../contract/store/records.ts';
import { accounts } from '../features/ads/accounts.ts';
import { readAccountFile } from '../features/ads/administration/account-file.ts';
import { accountIdSequence } from '../features/ads/administration/account-ids.ts';
import { ACCOUNT_LIMITS } from '../features/ads/administration/account-input.ts';
import { AccountConflict, applyAccountPlan, liveRowsOf } from '../features/ads/administration/apply-plan.ts';
import { importAccounts } from '../features/ads/administration/import-accounts.ts';
import { fundingInstruments } from '../features/ads/funding-instruments.ts';
import { promotableUsers } from '../features/ads/promotable-users.ts';
import { takeId } from '../features/platform/ids.ts';
import {
  changeFeatures,
  fundAccount,
  readAccount,
  setApproval,
  setLimits,
  setRole,
  validValues,
} from './account/change.ts';
import { CommandFailed, failIf } from './failure.ts';
import { oneLine, print, printFields } from './output.ts';
import { onDatabase } from './setting-options.ts';
import { requireUser, runRead, runWrite } from './units-of-work.ts';

/** `barker account`: administration of accounts that the API does not offer. */
export function accountCommand(command: Command): void {
  const create = command.command('create').description('Create an advertising account').argument('<name>');
  create
    .requiredOption('--admin <user-name>', 'Administrator and FULL promotable user')
    .option('--timezone <zone>', 'IANA time zone (America/Los_Angeles)')
    .option('--business-name <name>', 'Name of the business')
    .option('--business-id <id>', 'Id of the business; accounts of one business share audiences')
    .addOption(choice('--industry <industry>', 'Industry', accountInput.fields.account.industry_type!))
    .option('--sandbox', 'Create it in the sandbox; API clients can do that themselves');
  onDatabase(create, 'account create "Harbour Coffee" --admin ada --timezone Europe/London').action((name: string) =>
    createAccount(create, name),
  );

  const list = command.command('list').description('List accounts');
  list
    .option('--user <user-name>', 'Only accounts on which this user has a role')
    .option('--deleted', 'Include deleted accounts');
  onDatabase(list, 'account list --user ada').action(() => listAccounts(list));

  const show = of(command, 'show', 'Show an account with its users, features, limits and funding instruments');
  onDatabase(show, 'account show 18ce54d4x5t').action((id: string) => showAccount(show, id));

  const role = of(command, 'role', 'Grant a user a role on an account, replacing the earlier one, or revoke it');
  role
    .argument('<user-name>')
    .addOption(new Option('--role <role>', 'Role').choices(ROLES))
    .option('--post-composer', 'Also allow promoted-only posts')
    .option('--none', 'Revoke the role');
  onDatabase(role, 'account role 18ce54d4x5t ben --role AD_MANAGER --post-composer').action(
    (id: string, user: string) => setRole(role, id, user),
  );

  const features = of(command, 'features', 'Grant or remove features of an account');
  features.option('--add <key...>', 'Features to grant').option('--remove <key...>', 'Features to remove');
  onDatabase(features, 'account features 18ce54d4x5t --add REACH_FREQUENCY_CAP').action((id: string) =>
    changeFeatures(features, id),
  );

  const fund = of(command, 'fund', 'Add a funding instrument to an account');
  fund
    .addOption(choice('--type <type>', 'Type', accountInput.fields.instrument.type!).makeOptionMandatory())
    .requiredOption('--currency <code>', 'ISO 4217')
    .option('--start-time <time>', 'Start time (default: now)')
    .option('--end-time <time>', 'End time; required for an insertion order')
    .option('--credit-limit <micros>', 'Credit limit in micros, for a credit card or credit line')
    .option('--funded-amount <micros>', 'Amount in micros, for an insertion order')
    .option('--description <text>', 'Description')
    .option('--io-header <text>', 'Insertion order header');
  onDatabase(fund, 'account fund 18ce54d4x5t --type CREDIT_LINE --currency EUR --credit-limit 5000000000').action(
    (id: string) => fundAccount(fund, id),
  );

  const limits = of(command, 'limits', 'Override the limits of the settings for an account');
  for (const name of Object.keys(ACCOUNT_LIMITS)) {
    limits.option(
      `--${name.replaceAll('_', '-')} <n>`,
      `Maximum number of ${name.replaceAll('_', ' ')}; "default" removes the override`,
    );
  }
  onDatabase(limits, 'account limits 18ce54d4x5t --active-campaigns 8000').action((id: string) =>
    setLimits(limits, id),
  );

  const approve = of(command, 'approve', 'Set the approval status of an account');
  approve.addOption(
    choice('--status <status>', 'Approval status', accountInput.fields.account.approval_status!).default('ACCEPTED'),
  );
  onDatabase(approve, 'account approve 18ce54d4x5t --status UNDER_REVIEW').action((id: string) =>
    setApproval(approve, id),
  );

  const load = command.command('import').description('Create and update accounts from a file, all of them or none');
  load.argument('<file>', 'JSON file; docs/operate.md describes the format');
  onDatabase(load, 'account import accounts.json').action((file: string) => importAccountFile(load, file));
}

function of(command: Command, name: string, about: string): Command {
  return command.command(name).description(about).argument('<account-id>');
}

/** An option whose choices are the values of an enum field. */
function choice(flags: string, about: string, field: { readonly kind: { readonly schema: object } }): Option {
  const { anyOf } = field.kind.schema as { readonly anyOf: readonly { readonly const: string }[] };
  return new Option(flags, about).choices(anyOf.map((word) => word.const));
}

/** Creates an account with its administrator, who also becomes its FULL promotable user. @source decision 170 */
export async function createAccount(command: Command, name: string): Promise<void> {
  const { admin, timezone, businessName, businessId, industry, sandbox } = command.opts();
  const environment = sandbox ? 'sandbox' : 'production';
  const { id: _, ...fields } = accountInput.fields.account;
  const options = { timezone, business_name: businessName, business_id: businessId, industry_type: industry };
  const set = Object.fromEntries(Object.entries({ name, ...options }).filter(([, value]) => value !== undefined));
  const values = validValues(accountInput.read(fields, set, 'account'));
  if (timezone !== undefined && !isZone(timezone)) failIf(`there is no time zone ${timezone}`);
  const id = await runWrite(command, async (registrar) => {
    const { id: user } = await requireUser(registrar.tx, admin);
    registrar.addTarget('user', user);
    const account = await takeId(registrar.tx, registrar.random, accountIdSequence(environment));
    await applyAccountPlan(registrar, {
      id: account,
      environment,
      values,
      users: [{ user, role: 'ACCOUNT_ADMIN', composer: true }],
      promotable: [{ user, type: 'FULL' }],
      instruments: [],
      features: [],
      limits: {},
    });
    registrar.addTarget('account', account);
    return account;
  });
  printFields({ account_id: id });
}

/** The whole file is read into memory, because all accounts are imported or none. */
const FILE_BYTES_MAX = 67_108_864;

/** Creates and updates the accounts of a file, all of them or none. @source decision 169 */
export async function importAccountFile(command: Command, file: string): Promise<void> {
  if (statSync(file).size > FILE_BYTES_MAX) {
    throw new CommandFailed(`${file}: larger than ${FILE_BYTES_MAX} bytes; split it`, 2);
  }
  const { plans, errors } = readAccountFile(readFileSync(file, 'utf8'), accountInput);
  if (errors.length > 0) throw new CommandFailed(`${file}: ${errors.join('; ')}`, 2);
  const outcomes = await runWrite(command, async (registrar) => {
    const imported = await importAccounts(registrar, plans).catch((error: unknown) => {
      if (error instanceof InputError) throw new CommandFailed(`${file}: ${error.message}`, 2);
      throw error instanceof AccountConflict ? new CommandFailed(error.message) : error;
    });
    for (const [id, outcome] of Object.entries(imported)) {
      if (outcome !== 'unchanged') registrar.addTarget('account', id);
    }
    return imported;
  });
  printFields(outcomes);
}

const ENVIRONMENTS: readonly Environment[] = ['production', 'sandbox'];
const PAGE = 1000;

/** Lists accounts, production first, one per line: id, environment, approval status and name. */
export async function listAccounts(command: Command): Promise<void> {
  const { user: named, deleted } = command.opts<{ user?: string; deleted?: true }>();
  const lines = await runRead(command, async ({ tx }) => {
    const user = named === undefined ? undefined : (await requireUser(tx, named)).id;
    const found: string[] = [];
    for (const environment of ENVIRONMENTS) {
      let after: readonly string[] | undefined;
      for (;;) {
        const page: Row[] = await tx.records.page(accounts, {
          ...conditions(environment, user),
          deleted: deleted ? 'shown' : 'hidden',
          sort: [{ column: 'id', direction: 'asc', nullable: false }],
          after,
          limit: PAGE,
        });
        for (const row of page) found.push(lineOf(row, environment));
        if (page.length < PAGE) break;
        after = [page.at(-1)!.id];
      }
    }
    return found;
  });
  for (const line of lines) print(`${line}\n`);
}

function conditions(environment: Environment, user: string | undefined) {
  const member: PageQuery['member'] = user === undefined ? undefined : { user, environment };
  const within: PageQuery['within'] = member ? {} : { environment: [environment] };
  return { account: undefined, member, within, without: undefined, prefix: undefined };
}

function lineOf({ id, approval_status, deleted, name }: Row, environment: Environment): string {
  return [id, environment, deleted ? 'DELETED' : approval_status, oneLine(String(name))].join('\t');
}

/** Shows an account with its users, features, own limits and funding instruments. */
export async function showAccount(command: Command, id: string): Promise<void> {
  const lines = await readAccount(command, id, async (tx, { row, environment, limits }) => {
    const values: Record<string, string> = { account_id: id, environment };
    for (const name of Object.keys(accounts.fields)) if (row[name] !== null) values[name] = String(row[name]);
    const members = await tx.accountMembers.listMembers(id);
    const promoted = await liveRowsOf(tx, promotableUsers, id);
    const users = [...members, ...promoted].map(({ user_id }) => String(user_id));
    const names = await tx.credentials.findScreenNames([...new Set(users)]);
    for (const { user_id, role, post_composer } of members) {
      values[`role_${names.get(user_id) ?? user_id}`] = post_composer ? `${role},POST_COMPOSER` : role;
    }
    for (const { id: own, user_id, promotable_user_type } of promoted) {
      values[`promotable_${own}`] = `${promotable_user_type} ${names.get(String(user_id)) ?? user_id}`;
    }
    values.features = (await tx.accountMembers.listFeatures(id)).join(',');
    for (const [name, setting] of Object.entries(ACCOUNT_LIMITS)) {
      if (limits[setting] !== undefined) values[`limit_${name}`] = String(limits[setting]);
    }
    for (const { id: own, type, currency, description } of await liveRowsOf(tx, fundingInstruments, id)) {
      values[`funding_${own}`] = [type, currency, description].join(' ');
    }
    return values;
  });
  printFields(lines);
}
