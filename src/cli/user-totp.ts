import type { Command } from 'commander';
import { CommandFailed } from './failure.ts';
import { registering, tell } from './registering.ts';
import { addSettings } from './setting-options.ts';
import { userNamed } from './user-passwords.ts';

/** `barker user totp`. */
export function totpCommand(user: Command): void {
  const command = user
    .command('totp')
    .description('Show whether a user has turned on two-step login, or turn it off for somebody who lost the phone')
    .argument('<user-name>')
    .option('--reset', 'Turn it off and remove the recovery codes; their sessions end');
  addSettings(command, 'serve', ['data_folder', 'database_url'])
    .addHelpText('after', '\nExample:\n  barker user totp ada --reset')
    .action((userName: string) => showOrReset(command, userName));
}

async function showOrReset(command: Command, userName: string): Promise<void> {
  const told = await registering(command, async ({ tx }): Promise<Record<string, string>> => {
    const { id, screen_name: username } = await userNamed(tx, userName);
    const factor = await tx.secondFactors.find(id);
    if (!command.opts().reset) {
      const recovery_codes = String(await tx.secondFactors.findRecoveryCount(id));
      return { user_id: id, username, totp: factor ? 'on' : 'off', since: factor?.created_at ?? '', recovery_codes };
    }
    if (!factor) throw new CommandFailed(`${username} has not turned on two-step login`);
    await tx.secondFactors.remove(id);
    await tx.sessions.removeOf(id);
    return { user_id: id, username, totp: 'off' };
  });
  tell(told);
}
