import type { Command } from 'commander';
import { secureRandom } from '../base/random.ts';
import type { User } from '../contract/store/credentials.ts';
import type { Settings } from '../settings.ts';
import { CommandFailed } from './failure.ts';
import { readPassword } from './password.ts';
import { insist, looking, registering, tell } from './registering.ts';
import { addSettings, settingsFrom } from './setting-options.ts';

/** `barker user password`. */
export function passwordCommand(user: Command): void {
  const command = user
    .command('password')
    .description('Set the password of a user, or make a link with which they set it; their sessions end')
    .argument('<user-name>')
    .option('--password-file <file>', 'File whose first line is the password; without it, it is asked for')
    .option('--generate', 'Make a password and print it once')
    .option('--link', 'Print a link, valid for an hour, with which the user sets a password once');
  addSettings(command, 'serve', ['data_folder', 'database_url', 'public_base_url'])
    .addHelpText('after', '\nExample:\n  barker user password ada --link')
    .action((userName: string) => resetPassword(command, userName));
}

async function resetPassword(command: Command, userName: string): Promise<void> {
  const { passwordFile, generate, link } = command.opts();
  if ([passwordFile, generate, link].filter((input) => input !== undefined).length > 1) {
    throw new CommandFailed('--password-file, --generate and --link exclude each other', 2);
  }
  if (link) return makeLink(command, userName);
  const user = await looking(command, ({ tx }) => userNamed(tx, userName));
  const password = generate ? secureRandom.bytes(15).toString('base64url') : await readPassword(passwordFile);
  if (!generate) insist(await wrongPasswordOf(command, password, user));
  const { hashPassword } = await import('../features/platform/passwords.ts');
  const { setPassword } = await import('../features/platform/standing.ts');
  const hash = await hashPassword(password, secureRandom);
  await registering(command, ({ tx, now, touched }) => {
    touched('user', user.id);
    return setPassword(tx, user.id, { hash, now });
  });
  tell({ user_id: user.id, username: user.screen_name, ...(generate && { password }) });
}

async function makeLink(command: Command, userName: string): Promise<void> {
  const { addPasswordLink, PASSWORD_LINK_S } = await import('../features/platform/standing.ts');
  const made = await registering(command, async ({ tx, now, touched }) => {
    const user = await userNamed(tx, userName);
    touched('user', user.id);
    if (user.suspended || user.locked) throw new CommandFailed(`${user.screen_name} is suspended or locked`);
    return { user, secret: await addPasswordLink(tx, user.id, { random: secureRandom, now }) };
  });
  const link = `${addressOf(settingsFrom(command, 'serve', true))}/login/reset?token=${made.secret}`;
  tell({ user_id: made.user.id, username: made.user.screen_name, valid_s: String(PASSWORD_LINK_S), link });
}

/** Where browsers reach the pages, as far as the settings tell. */
function addressOf({ public_base_url, host, port, tls_cert }: Settings): string {
  if (public_base_url !== '') return public_base_url;
  return `${tls_cert === '' ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** What is wrong with a password for a user of this service. */
export async function wrongPasswordOf(
  command: Command,
  password: string,
  user: Pick<User, 'screen_name' | 'name'>,
): Promise<string | undefined> {
  const { wrongPassword } = await import('../features/platform/password-rules.ts');
  const { passwordRulesOf } = await import('../settings/logins.ts');
  return wrongPassword(password, user, passwordRulesOf(settingsFrom(command, 'serve', true)));
}

/** The user of a name. @throws CommandFailed when there is none */
export async function userNamed(
  tx: { readonly credentials: { findUserByName(name: string): Promise<User | undefined> } },
  userName: string,
): Promise<User> {
  const user = await tx.credentials.findUserByName(userName);
  if (!user) throw new CommandFailed(`there is no user ${userName}`);
  return user;
}
