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
import {
  AccountConflict,
  applyAccountPlan,
  importAccounts,
  readLiveRows,
} from '../features/ads/administration/apply-plan.ts';
import { fundingInstruments } from '../features/ads/funding-instruments.ts';
import { promotableUsers } from '../features/ads/promotable-users.ts';
import { takeId } from '../features/platform/ids.ts';
import {
  changeFeatures,
  findAccount,
  fundAccount,
  setApproval,
  setLimits,
  setRole,
  validValues,
  withoutUndefined,
} from './account/change.ts';
import { CommandFailed, failIf, UsageError } from './failure.ts';
import { printFields, printRow } from './output.ts';
import { databaseCommand } from './setting-options.ts';
import { requireUser, runRead, runWrite } from './units-of-work.ts';

/** `barker account`: administration of accounts beyond the API. */
export function configure(command: Command): void {
  const example = '"Harbour Coffee" --admin ada --timezone Europe/London';
  databaseCommand(command, 'create <name>', 'Create an advertising account', example, createAccount)
    .requiredOption('--admin <user-name>', 'Administrator and FULL promotable user')
    .option('--timezone <zone>', 'IANA time zone (America/Los_Angeles)')
    .option('--business-name <name>', 'Name of the business')
    .option('--business-id <id>', 'Id of the business; accounts of one business share audiences')
    .addOption(choice('--industry <industry>', 'Industry', accountInput.fields.account.industry_type!))
    .option('--sandbox', 'Create it in the sandbox; API clients can do that themselves');
  databaseCommand(command, 'list', 'List accounts', '--user ada', listAccounts)
    .option('--user <user-name>', 'Only accounts on which this user has a role')
    .option('--deleted', 'Include deleted accounts');
  const onAccount = (name: string, about: string, example: string, run: AccountAction): Command =>
    databaseCommand(command, `${name} <account-id>`, about, `18ce54d4x5t ${example}`, run);
  onAccount('show', 'Show an account with its users, features, limits and funding instruments', '', showAccount);
  databaseCommand(
    command,
    'role <account-id> <user-name>',
    'Grant a user a role on an account, replacing the earlier one, or revoke it',
    '18ce54d4x5t ben --role AD_MANAGER --post-composer',
    setRole,
  )
    .addOption(new Option('--role <role>', 'Role').choices(ROLES))
    .option('--post-composer', 'Also allow promoted-only posts')
    .option('--none', 'Revoke the role');
  onAccount('features', 'Grant or remove features of an account', '--add REACH_FREQUENCY_CAP', changeFeatures)
    .option('--add <key...>', 'Features to grant')
    .option('--remove <key...>', 'Features to remove');
  const funding = '--type CREDIT_LINE --currency EUR --credit-limit 5000000000';
  onAccount('fund', 'Add a funding instrument to an account', funding, fundAccount)
    .addOption(choice('--type <type>', 'Type', accountInput.fields.instrument.type!).makeOptionMandatory())
    .requiredOption('--currency <code>', 'ISO 4217')
    .option('--start-time <time>', 'Start time (default: now)')
    .option('--end-time <time>', 'End time; required for an insertion order')
    .option('--credit-limit <micros>', 'Credit limit in micros, for a credit card or credit line')
    .option('--funded-amount <micros>', 'Amount in micros, for an insertion order')
    .option('--description <text>', 'Description')
    .option('--io-header <text>', 'Insertion order header');
  const limits = onAccount(
    'limits',
    'Override the default limits for an account',
    '--active-campaigns 8000',
    setLimits,
  );
  for (const name of Object.keys(ACCOUNT_LIMITS)) {
    limits.option(
      `--${name.replaceAll('_', '-')} <n>`,
      `Maximum number of ${name.replaceAll('_', ' ')}; "default" removes the override`,
    );
  }
  const status = accountInput.fields.account.approval_status!;
  onAccount('approve', 'Set the approval status of an account', '--status UNDER_REVIEW', setApproval).addOption(
    choice('--status <status>', 'Approval status', status).default('ACCEPTED'),
  );
  const about = 'Create and update accounts from a file, all of them or none';
  databaseCommand(command, 'import', about, 'accounts.json', importAccountFile).argument(
    '<file>',
    'JSON file; docs/operate.md describes the format',
  );
}

type AccountAction = (command: Command, id: string) => Promise<void>;

/** An option whose choices are the values of an enum field. */
function choice(flags: string, about: string, field: { readonly kind: { readonly schema: object } }): Option {
  const { anyOf } = field.kind.schema as { readonly anyOf: readonly { readonly const: string }[] };
  return new Option(flags, about).choices(anyOf.map((value) => value.const));
}

/** Creates an account with its administrator, who also becomes its FULL promotable user. @source decision 170 */
async function createAccount(command: Command, name: string): Promise<void> {
  const { admin, timezone, businessName, businessId, industry, sandbox } = command.opts();
  const environment = sandbox ? 'sandbox' : 'production';
  const { id: _, ...fields } = accountInput.fields.account;
  const options = { timezone, business_name: businessName, business_id: businessId, industry_type: industry };
  const values = validValues(accountInput.read(fields, withoutUndefined({ name, ...options }), 'account'));
  if (timezone !== undefined && !isZone(timezone)) failIf(`there is no time zone ${timezone}`);
  const id = await runWrite(command, async (registrar) => {
    const { id: user } = await registrar.targetUser(admin);
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

/** The whole file is read into memory, because it is imported in one transaction. */
const FILE_BYTES_MAX = 67_108_864;

/** Creates and updates the accounts of a file, all of them or none. @source decision 169 */
async function importAccountFile(command: Command, file: string): Promise<void> {
  if (statSync(file).size > FILE_BYTES_MAX) {
    throw new UsageError(`${file}: larger than ${FILE_BYTES_MAX} bytes; split it`);
  }
  const { plans, errors } = readAccountFile(readFileSync(file, 'utf8'), accountInput);
  if (errors.length > 0) throw new UsageError(`${file}: ${errors.join('; ')}`);
  const outcomes = await runWrite(command, async (registrar) => {
    const imported = await importAccounts(registrar, plans).catch((error: unknown) => {
      if (error instanceof InputError) throw new UsageError(`${file}: ${error.message}`);
      throw error instanceof AccountConflict ? new CommandFailed(error.message) : error;
    });
    for (const [id, outcome] of Object.entries(imported)) {
      if (outcome !== 'unchanged') registrar.addTarget('account', id);
    }
    return imported;
  });
  printFields(outcomes);
}

const PAGE = 1000;

/** Lists accounts, production first. */
async function listAccounts(command: Command): Promise<void> {
  const { user: named, deleted } = command.opts<{ user?: string; deleted?: true }>();
  await runRead(command, async ({ tx }) => {
    const user = named === undefined ? undefined : (await requireUser(tx, named)).id;
    for (const environment of ['production', 'sandbox'] as const) {
      let after: readonly string[] | undefined;
      for (;;) {
        const page: Row[] = await tx.records.page(accounts, {
          ...conditions(environment, user),
          deleted: deleted ? 'shown' : 'hidden',
          sort: [{ column: 'id', direction: 'asc', nullable: false }],
          after,
          limit: PAGE,
        });
        for (const { id, approval_status, deleted, name } of page) {
          printRow(String(id), environment, deleted ? 'DELETED' : String(approval_status), String(name));
        }
        if (page.length < PAGE) break;
        after = [page.at(-1)!.id];
      }
    }
  });
}

function conditions(environment: Environment, user: string | undefined) {
  const member: PageQuery['member'] = user === undefined ? undefined : { user, environment };
  const within: PageQuery['within'] = member ? {} : { environment: [environment] };
  return { account: undefined, member, within, without: undefined, prefix: undefined };
}

/** Shows an account with its users, features, own limits and funding instruments. */
async function showAccount(command: Command, id: string): Promise<void> {
  const fields = await runRead(command, async ({ tx }) => {
    const { row, environment, limits } = await findAccount(tx, id, { lock: false });
    const values: Record<string, string> = { account_id: id, environment };
    for (const name of Object.keys(accounts.fields)) if (row[name] !== null) values[name] = String(row[name]);
    const members = await tx.accountMembers.listMembers(id);
    const promoted = await readLiveRows(tx, promotableUsers, id);
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
    for (const row of await readLiveRows(tx, fundingInstruments, id)) {
      const micros = row.credit_limit_local_micro ?? row.funded_amount_local_micro;
      const amount = micros === null ? [] : [Number(micros) / 1_000_000];
      values[`funding_${row.id}`] = [row.type, ...amount, row.currency, row.description].join(' ');
    }
    return values;
  });
  printFields(fields);
}
