import { type Command, Option } from 'commander';
import { ACCESS_LEVELS, type AccessLevel } from '../contract/credentials.ts';
import { CommandFailed } from './failure.ts';
import { insist, registering, tell } from './registering.ts';
import { addSettings } from './setting-options.ts';

/** `barker app create`. */
export function appCommand(command: Command): void {
  const create = command.command('create').description('Register an application').argument('<name>');
  create
    .requiredOption('--owner <user-name>', 'User whom the application belongs to')
    .requiredOption('--callback <address...>', 'Address that sign-in may return to; up to ten')
    .addOption(new Option('--level <level>', 'What it may do').choices(ACCESS_LEVELS).default('read'))
    .option('--sign-in', 'Users who agreed once are let through without being asked again');
  addSettings(create, 'serve', ['data_folder', 'database_url'])
    .addHelpText(
      'after',
      '\nExample:\n  barker app create Reports --owner ada --level read-write --callback https://reports.example/back',
    )
    .action((name: string) => createApp(create, name));
}

async function createApp(command: Command, name: string): Promise<void> {
  const given = command.opts<{ owner: string; callback: string[]; level: AccessLevel; signIn?: boolean }>();
  const rules = await import('../platform/rules.ts');
  insist(rules.wrongApplicationName(name));
  insist(rules.wrongCallbacks(given.callback));
  const { registerApplication } = await import('../platform/register.ts');
  const made = await registering(command, async (registrar) => {
    const owner = await registrar.tx.credentials.findUserByName(given.owner);
    if (!owner) throw new CommandFailed(`there is no user ${given.owner}; make one with: barker user create`);
    return registerApplication(registrar, {
      owner: owner.id,
      name,
      level: given.level,
      callbacks: given.callback,
      signIn: given.signIn === true,
      demo: false,
    });
  });
  tell({ application_id: made.id, consumer_key: made.consumerKey, consumer_secret: made.consumerSecret });
}
