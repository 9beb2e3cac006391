import { type Command, Option } from 'commander';
import { ROLES } from '../contract/declare/roles.ts';
import { ACCOUNT_LIMITS } from '../features/ads/administration/account-input.ts';
import { accountInput } from './account/account-input.ts';
import { setApproval } from './account/approve.ts';
import { createAccount } from './account/create.ts';
import { changeFeatures } from './account/features.ts';
import { fundAccount } from './account/fund.ts';
import { importAccountFile } from './account/import.ts';
import { setLimits } from './account/limits.ts';
import { listAccounts } from './account/list.ts';
import { setRole } from './account/role.ts';
import { showAccount } from './account/show.ts';
import { addSettings } from './setting-options.ts';

/** `barker account`: what operators do to accounts, and callers cannot. */
export function accountCommand(command: Command): void {
  const create = command.command('create').description('Create an account').argument('<name>');
  create
    .requiredOption('--admin <user-name>', 'Its administrator, who is the user that it advertises')
    .option('--timezone <zone>', 'IANA name (America/Los_Angeles)')
    .option('--business-name <name>', 'Business that it belongs to')
    .option('--business-id <id>', 'Accounts of one business share audiences')
    .addOption(choice('--industry <industry>', 'Line of business', accountInput.fields.account.industry_type!))
    .option('--sandbox', 'In the sandbox; callers can make those themselves');
  onDatabase(create, 'create "Harbour Coffee" --admin ada --timezone Europe/London').action((name: string) =>
    createAccount(create, name),
  );

  const list = command.command('list').description('List accounts');
  list.option('--user <user-name>', 'Only those on which a user has a role').option('--deleted', 'Deleted ones too');
  onDatabase(list, 'list --user ada').action(() => listAccounts(list));

  const show = of(command, 'show', 'Show an account, its users, features, limits and funding instruments');
  onDatabase(show, 'show 18ce54d4x5t').action((id: string) => showAccount(show, id));

  const role = of(command, 'role', 'Give a user a role on an account, in place of the one before, or take it away');
  role
    .argument('<user-name>')
    .addOption(new Option('--role <role>', 'What the user may do').choices(ROLES))
    .option('--post-composer', 'May also create promoted-only posts')
    .option('--none', 'Takes the role away');
  onDatabase(role, 'role 18ce54d4x5t ben --role AD_MANAGER --post-composer').action((id: string, user: string) =>
    setRole(role, id, user),
  );

  const features = of(command, 'features', 'Grant features to an account, and take them away');
  features.option('--add <key...>', 'Features to grant').option('--remove <key...>', 'Features to take away');
  onDatabase(features, 'features 18ce54d4x5t --add REACH_FREQUENCY_CAP').action((id: string) =>
    changeFeatures(features, id),
  );

  const fund = of(command, 'fund', 'Give an account a funding instrument');
  fund
    .addOption(
      choice('--type <type>', 'How spending is paid', accountInput.fields.instrument.type!).makeOptionMandatory(),
    )
    .requiredOption('--currency <code>', 'ISO 4217')
    .option('--start-time <time>', 'From when on it can fund (now)')
    .option('--end-time <time>', 'Until when; an insertion order needs one')
    .option('--credit-limit <micros>', 'Limit of a credit card or credit line, micro units')
    .option('--funded-amount <micros>', 'Amount of an insertion order, micro units')
    .option('--description <text>', 'How people call it')
    .option('--io-header <text>', 'Header of an insertion order');
  onDatabase(fund, 'fund 18ce54d4x5t --type CREDIT_LINE --currency EUR --credit-limit 5000000000').action(
    (id: string) => fundAccount(fund, id),
  );

  const limits = of(command, 'limits', 'Give an account limits of its own in place of the settings');
  for (const name of Object.keys(ACCOUNT_LIMITS)) {
    limits.option(`--${name.replaceAll('_', '-')} <n>`, `Limit of ${name.replaceAll('_', ' ')}; "default" ends it`);
  }
  onDatabase(limits, 'limits 18ce54d4x5t --active-campaigns 8000').action((id: string) => setLimits(limits, id));

  const approve = of(command, 'approve', 'Say whether an account may advertise');
  approve.addOption(
    choice('--status <status>', 'Its approval status', accountInput.fields.account.approval_status!).default(
      'ACCEPTED',
    ),
  );
  onDatabase(approve, 'approve 18ce54d4x5t --status UNDER_REVIEW').action((id: string) => setApproval(approve, id));

  const load = command.command('import').description('Make accounts what a file says: all of them or none');
  load.argument('<file>', 'JSON; docs/operate.md has its form');
  onDatabase(load, 'import accounts.json').action((file: string) => importAccountFile(load, file));
}

function of(command: Command, name: string, about: string): Command {
  return command.command(name).description(about).argument('<account-id>');
}

function onDatabase(command: Command, example: string): Command {
  return addSettings(command, 'serve', ['data_folder', 'database_url']).addHelpText(
    'after',
    `\nExample:\n  barker account ${example}`,
  );
}

/** An option that takes one of the words of a field. */
function choice(flags: string, about: string, field: { readonly kind: { readonly schema: object } }): Option {
  const { anyOf } = field.kind.schema as { readonly anyOf: readonly { readonly const: string }[] };
  return new Option(flags, about).choices(anyOf.map((word) => word.const));
}
