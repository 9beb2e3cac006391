import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { type Command, Option } from 'commander';
import { type Line, linesOf, linesOfStream } from '../base/lines.ts';
import { secureRandom } from '../base/random.ts';
import { type User, VERIFIED_TYPES, type VerifiedType } from '../contract/store/credentials.ts';
import { isLiveSession } from '../contract/store/logins.ts';
import type { Settings } from '../settings.ts';
import { CommandFailed, failIf } from './failure.ts';
import { print, printError, printFields } from './output.ts';
import { onDatabase, settingsFrom } from './setting-options.ts';
import { requireUser, runRead, runWrite } from './units-of-work.ts';

/** Commands that change the status of a user: changed columns and description, by command name. */
const STATUS_CHANGES = {
  suspend: [{ suspended: 1 }, 'Suspend a user for abuse: all their requests are refused'],
  resume: [{ suspended: 0 }, 'Lift the suspension of a user'],
  lock: [{ locked: 1 }, 'Lock a user temporarily to protect their account: all their requests are refused'],
  unlock: [{ locked: 0 }, 'Unlock a user'],
} as const;

/** `barker user`. */
export function userCommand(command: Command): void {
  const create = command
    .command('create')
    .description('Register a user')
    .argument('<user-name>', 'Name to log in with');
  onDatabase(create, 'user create ada --name "Ada Example" --password-file ./password')
    .option('--name <text>', 'Display name (default: the user name)')
    .option('--email <address>', 'E-mail address, for applications with permission to see it')
    .option('--password-file <file>', 'File with the password in its first line; prompts without this option')
    .action((userName: string) => createUser(create, userName));
  const profile = command
    .command('profile')
    .description('Change the profile of a user; changes that can be subscribed to create events')
    .argument('<user-name>')
    .option('--name <text>', 'Display name')
    .option('--handle <user-name>', 'Name to log in with, and for mentions')
    .option('--bio <text>', 'Description; empty to clear it')
    .option('--location <text>', 'Location')
    .option('--url <address>', 'Web site; empty to clear it')
    .addOption(new Option('--verified <type>', 'Verification type').choices(VERIFIED_TYPES))
    .option('--affiliate <user-name>', 'Organization whose badge the user shows; empty for none');
  onDatabase(profile, 'user profile ada --verified blue --affiliate example_org').action((userName: string) =>
    changeProfileOf(profile, userName),
  );
  passwordCommand(command);
  totpCommand(command);
  userListCommands(command);
  for (const [word, [changes, about]] of Object.entries(STATUS_CHANGES)) {
    const change = command.command(word).description(about).argument('<user-name>');
    onDatabase(change, `user ${word} ada --reason "Case 1207"`).action((userName: string) =>
      changeUser(change, userName, changes),
    );
  }
}

/** Registers a user. The e-mail address is the operator's word: no mail is sent to verify it. @source decision 105 */
async function createUser(command: Command, userName: string): Promise<void> {
  const { name = userName, email, passwordFile } = command.opts();
  const rules = await import('../features/platform/profile.ts');
  failIf(rules.userNameError(userName));
  failIf(rules.displayNameError(name));
  if (email !== undefined) failIf(rules.emailError(email));
  const password = await readPassword(passwordFile);
  failIf(await passwordError(command, password, { screen_name: userName, name }));
  const { registerUser } = await import('../features/platform/registration.ts');
  const { hashPassword } = await import('../features/platform/password-hashing.ts');
  const passwordHash = await hashPassword(password, secureRandom);
  const user = { screenName: userName, name, passwordHash, email };
  const id = await runWrite(command, async (registrar) => {
    const made = await registerUser(registrar, user);
    registrar.addTarget('user', made);
    return made;
  });
  printFields({ user_id: id, username: userName });
}

/** Changes the profile of a user, which emits events. @source decision 351, 356 */
async function changeProfileOf(command: Command, userName: string): Promise<void> {
  const { name, handle, bio, location, url, verified, affiliate } = command.opts<Record<string, string | undefined>>();
  const rules = await import('../features/platform/profile.ts');
  const profiles = await import('../features/platform/profile.ts');
  if (name !== undefined) failIf(rules.displayNameError(name));
  if (handle !== undefined) failIf(rules.userNameError(handle));
  if (bio !== undefined) failIf(profiles.descriptionError(bio));
  if (location !== undefined) failIf(profiles.locationError(location));
  if (url !== undefined) failIf(profiles.profileUrlError(url));
  const user = await runWrite(command, async ({ tx, now, addTarget }) => {
    const found = await requireUser(tx, userName);
    addTarget('user', found.id);
    const organization = affiliate ? await requireUser(tx, affiliate) : undefined;
    const changes = {
      ...(name !== undefined && { name }),
      ...(handle !== undefined && { screen_name: handle }),
      ...(bio !== undefined && { description: bio }),
      ...(location !== undefined && { location }),
      ...(url !== undefined && { url: url || null }),
      ...(verified !== undefined && { verified_type: verified as VerifiedType }),
      ...(affiliate !== undefined && { affiliate_id: organization?.id ?? null }),
    };
    if (Object.keys(changes).length === 0) throw new CommandFailed('no change was given; see --help', 2);
    return (await profiles.changeProfile(tx, found.id, changes, now))!.user;
  });
  printFields({
    user_id: user.id,
    username: user.screen_name,
    name: user.name,
    verified: user.verified_type,
    affiliate: user.affiliate_id ?? '',
  });
}

async function changeUser(
  command: Command,
  userName: string,
  changes: Partial<Pick<User, 'suspended' | 'locked'>>,
): Promise<void> {
  const { changeUserStatus } = await import('../features/platform/user-status.ts');
  const user = await runWrite(command, async ({ tx, addTarget }) => {
    const found = await requireUser(tx, userName);
    addTarget('user', found.id);
    await changeUserStatus(tx, found.id, changes);
    return { ...found, ...changes };
  });
  printFields({ user_id: user.id, suspended: user.suspended ? 'yes' : 'no', locked: user.locked ? 'yes' : 'no' });
}

const PAGE = 1000;

/** `barker user list` and `barker user show`. */
function userListCommands(user: Command): void {
  const list = user.command('list').description('List all users: id, user name, state, registration date');
  onDatabase(list, 'user list --data /var/lib/barker').action(() => listUsers(list));
  const show = user.command('show').description('Show a user and their login state').argument('<user-name>');
  onDatabase(show, 'user show ada').action((userName: string) => showUser(show, userName));
}

async function listUsers(command: Command): Promise<void> {
  const users = await runRead(command, async ({ tx }) => {
    const found: User[] = [];
    for (;;) {
      const after = found.at(-1)?.screen_name.toLowerCase() ?? '';
      const page = await tx.credentials.listUsers({ after, limit: PAGE });
      found.push(...page);
      if (page.length < PAGE) return found;
    }
  });
  for (const user of users) {
    print(`${user.id}\t${user.screen_name}\t${stateOf(user)}\t${user.created_at.slice(0, 10)}\n`);
  }
}

async function showUser(command: Command, userName: string): Promise<void> {
  const { user, sessions, hasFactor } = await runRead(command, async ({ tx, wallNow }) => {
    const found = await requireUser(tx, userName);
    const all = await tx.sessions.list(found.id);
    const hasFactor = (await tx.secondFactors.find(found.id)) !== undefined;
    return { user: found, hasFactor, sessions: all.filter((each) => isLiveSession(each, Date.parse(wallNow))).length };
  });
  printFields({
    user_id: user.id,
    username: user.screen_name,
    name: user.name,
    email: user.email ?? '',
    state: stateOf(user),
    verified: user.verified_type,
    created_at: user.created_at,
    password_changed_at: user.password_changed_at ?? '',
    two_step_login: hasFactor ? 'on' : 'off',
    sessions: String(sessions),
  });
}

function stateOf({ suspended, locked }: User): string {
  if (suspended) return 'suspended';
  return locked ? 'locked' : 'active';
}

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

/**
 * Reads a password from a file, from stdin, or from a prompt without echo. Never from an argument: other users of the
 * machine can see arguments, and the shell keeps them in its history.
 */
export async function readPassword(file: string | undefined): Promise<string> {
  if (file !== undefined && file !== '-') return firstLine(linesOf(file));
  if (file === '-' || !process.stdin.isTTY) return firstLine(linesOfStream(process.stdin));
  const password = await ask('Password: ');
  if ((await ask('Repeat password: ')) !== password) throw new CommandFailed('the passwords do not match');
  return password;
}

async function firstLine(pieces: AsyncIterable<readonly Line[]>): Promise<string> {
  for await (const [line] of pieces) {
    if (!line) continue;
    if ('error' in line) throw new CommandFailed(`the password ${line.error}`);
    const password = line.text.replace(/\r$/, '');
    if (password !== '') return password;
    break;
  }
  throw new CommandFailed('no password; pipe one to stdin or use --password-file');
}

async function ask(question: string): Promise<string> {
  printError(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return await lines.question('');
  } finally {
    lines.close();
    printError('\n');
  }
}
