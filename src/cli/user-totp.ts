import type { Command } from 'commander';
import { CommandFailed } from './failure.ts';
import { printFields } from './output.ts';
import { requireUser } from './required-rows.ts';
import { addSettings } from './setting-options.ts';
import { runRead, runWrite } from './units-of-work.ts';

/** `barker user totp`. @source decision 512, 515 */
export function totpCommand(user: Command): void {
  const command = user
    .command('totp')
    .description('Show the two-step login of a user, or turn it off after they lost their device')
    .argument('<user-name>')
    .option('--reset', 'Turn it off, delete the recovery codes and end their sessions');
  addSettings(command, 'serve', ['data_folder', 'database_url'])
    .addHelpText('after', '\nExample:\n  barker user totp ada --reset')
    .action((userName: string) => showOrReset(command, userName));
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
