import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { addOperatorLink, OPERATOR_LINK_S, operatorNameError } from '../features/platform/operator-links.ts';
import { devServerOf } from './dev-server.ts';
import { CommandFailed, failIf } from './failure.ts';
import { reachableHost } from './health.ts';
import { printFields } from './output.ts';
import { databaseCommand, settingsFrom } from './setting-options.ts';
import { runWrite } from './units-of-work.ts';

/** `barker operator`. */
export function configure(command: Command): void {
  databaseCommand(
    command,
    'link',
    'Print a link that signs you in to the operator console, once, within ten minutes',
    '--name anna',
    printLink,
    ['operations_host', 'operations_port'],
  ).option('--name <name>', 'Who signs in, for the audit log (default: your user name on this machine)');
}

async function printLink(command: Command): Promise<void> {
  const { name = userInfo().username } = command.opts<{ name?: string }>();
  failIf(operatorNameError(name));
  const dev = devServerOf(settingsFrom(command, 'serve', true));
  const ownOrigin = dev?.file()?.operator_url;
  if (dev && ownOrigin === undefined) {
    throw new CommandFailed(
      'the development server has no operator console; start it with: BARKER_OPERATOR_CONSOLE=true barker dev',
    );
  }
  const link = await runWrite(command, async ({ tx, random, wallNow, addTarget }, settings) => {
    addTarget('operator', name);
    const { operations_host: host, operations_port: port } = settings;
    const origin = ownOrigin ?? `http://${reachableHost(host)}:${port}`;
    return `${origin}/operator/sign-in?token=${await addOperatorLink(tx, name, { random, wallNow })}`;
  });
  printFields({ operator: name, valid_s: OPERATOR_LINK_S, link });
}
