import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { secureRandom } from '../base/random.ts';
import { OPERATOR_LINK_S, operatorLinkToken, operatorNameError } from '../features/platform/operator-links.ts';
import { openCommandRuntime } from './command-runtime.ts';
import { failIf } from './failure.ts';
import { printFields } from './output.ts';
import { addSettings } from './setting-options.ts';

/** `barker operator`. */
export function operatorCommand(command: Command): void {
  const link = command
    .command('link')
    .description('Print a link that signs you in to the operator console, once, within ten minutes')
    .option('--name <name>', 'Who signs in, for the audit log (default: your user name on this machine)');
  addSettings(link, 'serve', ['data_folder', 'database_url', 'operations_host', 'operations_port'])
    .addHelpText('after', '\nExample:\n  barker operator link --name anna')
    .action(() => printLink(link));
}

async function printLink(command: Command): Promise<void> {
  const { name = userInfo().username } = command.opts<{ name?: string }>();
  failIf(operatorNameError(name));
  const { store, box, wallClock, settings } = await openCommandRuntime(command);
  try {
    const token = operatorLinkToken(box, secureRandom, name, wallClock.now());
    const { operations_host: host, operations_port: port } = settings;
    const origin = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
    printFields({
      operator: name,
      valid_s: String(OPERATOR_LINK_S),
      link: `${origin}/operator/sign-in?token=${token}`,
    });
  } finally {
    await store.close();
  }
}
