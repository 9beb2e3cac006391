import type { Command } from 'commander';
import type { User } from '../contract/store/credentials.ts';
import { isLiveSession } from '../contract/store/logins.ts';
import { print, printFields } from './output.ts';
import { requireUser } from './required-rows.ts';
import { addSettings } from './setting-options.ts';
import { runRead } from './units-of-work.ts';

const PAGE = 1000;

/** `barker user list` and `barker user show`. */
export function userListCommands(user: Command): void {
  const list = user.command('list').description('List all users: id, user name, state, registration date');
  addSettings(list, 'serve', ['data_folder', 'database_url'])
    .addHelpText('after', '\nExample:\n  barker user list --data /var/lib/barker')
    .action(() => listUsers(list));
  const show = user.command('show').description('Show a user and their login state').argument('<user-name>');
  addSettings(show, 'serve', ['data_folder', 'database_url'])
    .addHelpText('after', '\nExample:\n  barker user show ada')
    .action((userName: string) => showUser(show, userName));
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
