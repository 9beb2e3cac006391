import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { type Command, Option } from 'commander';
import { type Line, readFileLines, readStreamLines } from '../base/lines.ts';
import { secureRandom } from '../base/random.ts';
import { type User, VERIFIED_TYPES, type VerifiedType } from '../contract/store/credentials.ts';
import { isLiveSession } from '../contract/store/logins.ts';
import { hashPassword } from '../features/platform/password-hashing.ts';
import { passwordError as brokenRule } from '../features/platform/password-rules.ts';
import {
  changeProfile,
  descriptionError,
  displayNameError,
  emailError,
  locationError,
  profileUrlError,
  userNameError,
} from '../features/platform/profile.ts';
import { registerUser } from '../features/platform/registration.ts';
import { addPasswordLink, changeUserStatus, PASSWORD_LINK_S, setPassword } from '../features/platform/user-status.ts';
import { passwordRulesOf } from '../settings/logins.ts';
import type { Settings } from '../settings.ts';
import { CommandFailed, failIf, UsageError } from './failure.ts';
import { printError, printFields, printRow } from './output.ts';
import { databaseCommand, settingsFrom } from './setting-options.ts';
import { requireUser, runRead, runWrite } from './units-of-work.ts';

/** Commands that change the status of a user: changed columns and description, by command name. */
const STATUS_CHANGES = {
  suspend: [{ suspended: 1 }, 'Suspend a user for abuse: all their requests are refused'],
  resume: [{ suspended: 0 }, 'Lift the suspension of a user'],
  lock: [{ locked: 1 }, 'Lock a user temporarily to protect their account: all their requests are refused'],
  unlock: [{ locked: 0 }, 'Unlock a user'],
} as const;

/** `barker user`. */
export function configure(command: Command): void {
  const example = 'ada --name "Ada Example" --password-file ./password';
  databaseCommand(command, 'create', 'Register a user', example, createUser)
    .argument('<user-name>', 'Name to log in with')
    .option('--name <text>', 'Display name (default: the user name)')
    .option('--email <address>', 'E-mail address, for applications with permission to see it')
    .option(...PASSWORD_FILE);
  databaseCommand(
    command,
    'profile <user-name>',
    'Change the profile of a user; changes that can be subscribed to create events',
    'ada --verified blue --affiliate example_org',
    editProfile,
  )
    .option('--name <text>', 'Display name')
    .option('--handle <user-name>', 'Name to log in with, and for mentions')
    .option('--bio <text>', 'Description; empty to clear it')
    .option('--location <text>', 'Location')
    .option('--url <address>', 'Web site; empty to clear it')
    .addOption(new Option('--verified <type>', 'Verification type').choices(VERIFIED_TYPES))
    .option('--affiliate <user-name>', 'Organization whose badge the user shows; empty for none');
  databaseCommand(
    command,
    'password <user-name>',
    'Set the password of a user, or create a reset link; ends their sessions',
    'ada --link',
    resetPassword,
    ['public_base_url'],
  )
    .option(...PASSWORD_FILE)
    .option('--generate', 'Generate a password and print it')
    .option('--link', 'Print a single-use reset link, valid for one hour');
  databaseCommand(
    command,
    'totp <user-name>',
    'Show the two-step login of a user, or turn it off after they lost their device',
    'ada --reset',
    showOrResetTotp,
  ).option('--reset', 'Turn it off, delete the recovery codes and end their sessions');
  const columns = 'List all users: id, user name, state, registration date';
  databaseCommand(command, 'list', columns, '--data /var/lib/barker', listUsers);
  databaseCommand(command, 'show <user-name>', 'Show a user and their login state', 'ada', showUser);
  for (const [name, [changes, about]] of Object.entries(STATUS_CHANGES)) {
    const run = (own: Command, userName: string) => changeUser(own, userName, changes);
    databaseCommand(command, `${name} <user-name>`, about, 'ada --reason "Case 1207"', run);
  }
}

const PASSWORD_FILE = [
  '--password-file <file>',
  'File with the password in its first line; prompts without this option',
] as const;

/** Registers a user. The e-mail address is trusted: no mail is sent to verify it. @source decision 105 */
async function createUser(command: Command, userName: string): Promise<void> {
  const { name = userName, email, passwordFile } = command.opts();
  failIf(userNameError(userName));
  failIf(displayNameError(name));
  if (email !== undefined) failIf(emailError(email));
  const password = await readPassword(passwordFile);
  failIf(await passwordError(command, password, { screen_name: userName, name }));
  const passwordHash = await hashPassword(password, secureRandom);
  const user = { screenName: userName, name, passwordHash, email };
  const id = await runWrite(command, async (registrar) => {
    const added = await registerUser(registrar, user);
    registrar.addTarget('user', added);
    return added;
  });
  printFields({ user_id: id, username: userName });
}

/** Changes the profile of a user, which emits events. @source decision 351, 356 */
async function editProfile(command: Command, userName: string): Promise<void> {
  const { name, handle, bio, location, url, verified, affiliate } = command.opts<Record<string, string | undefined>>();
  if (name !== undefined) failIf(displayNameError(name));
  if (handle !== undefined) failIf(userNameError(handle));
  if (bio !== undefined) failIf(descriptionError(bio));
  if (location !== undefined) failIf(locationError(location));
  if (url !== undefined) failIf(profileUrlError(url));
  const user = await runWrite(command, async ({ tx, now, targetUser }) => {
    const found = await targetUser(userName);
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
    if (Object.keys(changes).length === 0) throw new UsageError('no change was given; see --help');
    return (await changeProfile(tx, found.id, changes, now))!.user;
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
  const user = await runWrite(command, async ({ tx, targetUser }) => {
    const found = await targetUser(userName);
    await changeUserStatus(tx, found.id, changes);
    return { ...found, ...changes };
  });
  printFields({ user_id: user.id, suspended: user.suspended ? 'yes' : 'no', locked: user.locked ? 'yes' : 'no' });
}

const PAGE = 1000;

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
  for (const user of users) printRow(user.id, user.screen_name, stateOf(user), user.created_at.slice(0, 10));
}

async function showUser(command: Command, userName: string): Promise<void> {
  const { user, sessions, hasFactor } = await runRead(command, async ({ tx, wallNow }) => {
    const found = await requireUser(tx, userName);
    const all = await tx.sessions.list(found.id);
    return {
      user: found,
      hasFactor: (await tx.secondFactors.find(found.id)) !== undefined,
      sessions: all.filter((each) => isLiveSession(each, Date.parse(wallNow))).length,
    };
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
    sessions,
  });
}

function stateOf({ suspended, locked }: User): string {
  if (suspended) return 'suspended';
  return locked ? 'locked' : 'active';
}

/** Sets a password, or creates a link to set it. @source decision 501 */
async function resetPassword(command: Command, userName: string): Promise<void> {
  const { passwordFile, generate, link } = command.opts();
  if ([passwordFile, generate, link].filter((input) => input !== undefined).length > 1) {
    throw new UsageError('--password-file, --generate and --link cannot be combined');
  }
  if (link) return createLink(command, userName);
  const user = await runRead(command, ({ tx }) => requireUser(tx, userName));
  const password = generate ? secureRandom.bytes(15).toString('base64url') : await readPassword(passwordFile);
  if (!generate) failIf(await passwordError(command, password, user));
  const hash = await hashPassword(password, secureRandom);
  await runWrite(command, ({ tx, wallNow: now, addTarget }) => {
    addTarget('user', user.id);
    return setPassword(tx, user.id, { hash, now });
  });
  printFields({ user_id: user.id, username: user.screen_name, ...(generate && { password }) });
}

async function createLink(command: Command, userName: string): Promise<void> {
  const { user, secret } = await runWrite(command, async ({ tx, wallNow: now, targetUser }) => {
    const user = await targetUser(userName);
    if (user.suspended || user.locked) throw new CommandFailed(`${user.screen_name} is suspended or locked`);
    return { user, secret: await addPasswordLink(tx, user.id, { random: secureRandom, now }) };
  });
  const link = `${addressOf(settingsFrom(command, 'serve', true))}/login/reset?token=${secret}`;
  printFields({ user_id: user.id, username: user.screen_name, valid_s: PASSWORD_LINK_S, link });
}

/** The origin of the login pages, or that of the listener if no public one is set. */
function addressOf({ public_base_url, host, port, tls_cert }: Settings): string {
  if (public_base_url !== '') return public_base_url;
  return `${tls_cert === '' ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The rule that a password breaks, if any. @source decision 500 */
async function passwordError(
  command: Command,
  password: string,
  user: Pick<User, 'screen_name' | 'name'>,
): Promise<string | undefined> {
  return brokenRule(password, user, passwordRulesOf(settingsFrom(command, 'serve', true)));
}

/** Shows the two-step login of a user, or turns it off. @source decision 512, 515 */
async function showOrResetTotp(command: Command, userName: string): Promise<void> {
  const fields = command.opts().reset
    ? await runWrite(command, async ({ tx, targetUser }) => {
        const { id, screen_name: username } = await targetUser(userName);
        if (!(await tx.secondFactors.find(id))) {
          throw new CommandFailed(`${username} has not turned on two-step login`);
        }
        await tx.secondFactors.remove(id);
        await tx.sessions.removeOf(id);
        return { user_id: id, username, totp: 'off' };
      })
    : await runRead(command, async ({ tx }) => {
        const { id, screen_name: username } = await requireUser(tx, userName);
        const factor = await tx.secondFactors.find(id);
        const recovery_codes = await tx.secondFactors.findRecoveryCount(id);
        return { user_id: id, username, totp: factor ? 'on' : 'off', since: factor?.created_at ?? '', recovery_codes };
      });
  printFields(fields);
}

/**
 * Reads a password from a file, from stdin, or from a prompt without echo. Never from an argument: other users of the
 * machine can see arguments, and the shell keeps them in its history.
 */
async function readPassword(file: string | undefined): Promise<string> {
  if (file !== undefined && file !== '-') return firstLine(readFileLines(file));
  if (file === '-' || !process.stdin.isTTY) return firstLine(readStreamLines(process.stdin));
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
