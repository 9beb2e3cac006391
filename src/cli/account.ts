import { type Command, Option } from 'commander';
import { accountInput } from '../app/account-input.ts';
import { ROLES } from '../contract/declare/roles.ts';
import { ACCOUNT_LIMITS } from '../features/ads/administration/account-input.ts';
import { changeFeatures, fundAccount, setApproval, setLimits, setRole } from './account/change.ts';
import { createAccount, importAccountFile } from './account/create.ts';
import { listAccounts, showAccount } from './account/read.ts';
import { onDatabase } from './setting-options.ts';

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
