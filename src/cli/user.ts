import { type Command, Option } from 'commander';
import { secureRandom } from '../base/random.ts';
import { type User, VERIFIED_TYPES, type VerifiedType } from '../contract/store/credentials.ts';
import { isLiveSession } from '../contract/store/logins.ts';
import { CommandFailed, failIf } from './failure.ts';
import { print, printFields } from './output.ts';
import { readPassword } from './password.ts';
import { requireUser } from './required-rows.ts';
import { onDatabase } from './setting-options.ts';
import { runRead, runWrite } from './units-of-work.ts';
import { passwordCommand, passwordError, totpCommand } from './user-logins.ts';

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
  const rules = await import('../features/platform/user-rules.ts');
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
  const rules = await import('../features/platform/user-rules.ts');
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
