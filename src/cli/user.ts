import type { Command } from 'commander';
import { secureRandom } from '../base/random.ts';
import { readPassword } from './password.ts';
import { insist, registering, tell } from './registering.ts';
import { addSettings } from './setting-options.ts';

/** `barker user create`. */
export function userCommand(command: Command): void {
  const create = command.command('create').description('Register a user').argument('<user-name>', 'for signing in');
  addSettings(create, 'serve', ['data_folder', 'database_url'])
    .option('--name <text>', 'Name that is shown; by default the user name')
    .option('--email <address>', 'Address of the user, for applications that may see it')
    .option('--password-file <file>', 'File whose first line is the password; without it, it is asked for')
    .addHelpText('after', '\nExample:\n  barker user create ada --name "Ada Example" --password-file ./password')
    .action((userName: string) => createUser(create, userName));
}

async function createUser(command: Command, userName: string): Promise<void> {
  const { name = userName, email, passwordFile } = command.opts();
  const rules = await import('../platform/rules.ts');
  insist(rules.wrongUserName(userName));
  insist(rules.wrongName(name));
  if (email !== undefined) insist(rules.wrongEmail(email));
  const password = await readPassword(passwordFile);
  insist(rules.wrongPassword(password));
  const { registerUser } = await import('../platform/register.ts');
  const { hashPassword } = await import('../platform/passwords.ts');
  const passwordHash = await hashPassword(password, secureRandom);
  const user = { screenName: userName, name, passwordHash, email };
  const id = await registering(command, (registrar) => registerUser(registrar, user));
  tell({ user_id: id, username: userName });
}
