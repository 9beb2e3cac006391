import type { Command } from 'commander';
import { secureRandom } from '../base/random.ts';
import type { User } from '../contract/store/credentials.ts';
import type { Settings } from '../settings.ts';
import { CommandFailed, failIf } from './failure.ts';
import { printFields } from './output.ts';
import { readPassword } from './password.ts';
import { requireUser } from './required-rows.ts';
import { onDatabase, settingsFrom } from './setting-options.ts';
import { runRead, runWrite } from './units-of-work.ts';

/** `barker user password`. @source decision 501 */
export function passwordCommand(user: Command): void {
  const command = user
    .command('password')
    .description('Set the password of a user, or create a reset link; ends their sessions')
    .argument('<user-name>')
    .option('--password-file <file>', 'File with the password in its first line; prompts without this option')
    .option('--generate', 'Generate a password and print it')
    .option('--link', 'Print a single-use reset link, valid for one hour');
  onDatabase(command, 'user password ada --link', ['public_base_url']).action((userName: string) =>
    resetPassword(command, userName),
  );
}

async function resetPassword(command: Command, userName: string): Promise<void> {
  const { passwordFile, generate, link } = command.opts();
  if ([passwordFile, generate, link].filter((input) => input !== undefined).length > 1) {
    throw new CommandFailed('--password-file, --generate and --link cannot be combined', 2);
  }
  if (link) return makeLink(command, userName);
  const user = await runRead(command, ({ tx }) => requireUser(tx, userName));
  const password = generate ? secureRandom.bytes(15).toString('base64url') : await readPassword(passwordFile);
  if (!generate) failIf(await passwordError(command, password, user));
  const { hashPassword } = await import('../features/platform/password-hashing.ts');
  const { setPassword } = await import('../features/platform/user-status.ts');
  const hash = await hashPassword(password, secureRandom);
  await runWrite(command, ({ tx, wallNow: now, addTarget }) => {
    addTarget('user', user.id);
    return setPassword(tx, user.id, { hash, now });
  });
  printFields({ user_id: user.id, username: user.screen_name, ...(generate && { password }) });
}

async function makeLink(command: Command, userName: string): Promise<void> {
  const { addPasswordLink, PASSWORD_LINK_S } = await import('../features/platform/user-status.ts');
  const made = await runWrite(command, async ({ tx, wallNow: now, addTarget }) => {
    const user = await requireUser(tx, userName);
    addTarget('user', user.id);
    if (user.suspended || user.locked) throw new CommandFailed(`${user.screen_name} is suspended or locked`);
    return { user, secret: await addPasswordLink(tx, user.id, { random: secureRandom, now }) };
  });
  const link = `${addressOf(settingsFrom(command, 'serve', true))}/login/reset?token=${made.secret}`;
  printFields({ user_id: made.user.id, username: made.user.screen_name, valid_s: String(PASSWORD_LINK_S), link });
}

/** The origin of the login pages, as far as the settings define it. */
function addressOf({ public_base_url, host, port, tls_cert }: Settings): string {
  if (public_base_url !== '') return public_base_url;
  return `${tls_cert === '' ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The reason why a user may not have a password; undefined if they may. @source decision 500 */
export async function passwordError(
  command: Command,
  password: string,
  user: Pick<User, 'screen_name' | 'name'>,
): Promise<string | undefined> {
  const { passwordError: wrongPassword } = await import('../features/platform/password-rules.ts');
  const { passwordRulesOf } = await import('../settings/logins.ts');
  return wrongPassword(password, user, passwordRulesOf(settingsFrom(command, 'serve', true)));
}

/** `barker user totp`. @source decision 512, 515 */
export function totpCommand(user: Command): void {
  const command = user
    .command('totp')
    .description('Show the two-step login of a user, or turn it off after they lost their device')
    .argument('<user-name>')
    .option('--reset', 'Turn it off, delete the recovery codes and end their sessions');
  onDatabase(command, 'user totp ada --reset').action((userName: string) => showOrReset(command, userName));
}

async function showOrReset(command: Command, userName: string): Promise<void> {
  printFields(command.opts().reset ? await reset(command, userName) : await showTotp(command, userName));
}

function showTotp(command: Command, userName: string): Promise<Record<string, string>> {
  return runRead(command, async ({ tx }) => {
    const { id, screen_name: username } = await requireUser(tx, userName);
    const factor = await tx.secondFactors.find(id);
    const recovery_codes = String(await tx.secondFactors.findRecoveryCount(id));
    return { user_id: id, username, totp: factor ? 'on' : 'off', since: factor?.created_at ?? '', recovery_codes };
  });
}

function reset(command: Command, userName: string): Promise<Record<string, string>> {
  return runWrite(command, async ({ tx, addTarget }) => {
    const { id, screen_name: username } = await requireUser(tx, userName);
    addTarget('user', id);
    if (!(await tx.secondFactors.find(id))) throw new CommandFailed(`${username} has not turned on two-step login`);
    await tx.secondFactors.remove(id);
    await tx.sessions.removeOf(id);
    return { user_id: id, username, totp: 'off' };
  });
}
