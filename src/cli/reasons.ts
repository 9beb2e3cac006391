import { type Command, InvalidArgumentError, Option } from 'commander';
import { REASON_MAX, reasonOf } from '../contract/store/audit.ts';

/**
 * Commands that accept a reason for the audit log: they revoke or restore access of others, stop ads, or issue or revoke
 * credentials of others.
 * @source decision 1266
 */
export const COMMANDS_WITH_REASON: ReadonlySet<string> = new Set([
  ...['user suspend', 'user resume', 'user lock', 'user unlock', 'user password', 'user totp'],
  ...['app suspend', 'app resume', 'app regenerate-keys', 'app token', 'app bearer', 'token create'],
  ...['account approve', 'account role', 'publisher disable', 'publisher rotate', 'webhooks secret'],
]);

/** The flag for the reason. */
export const REASON_FLAG = '--reason';

/** Adds the option to the subcommands that accept a reason. */
export function addReasonOptions(command: Command): void {
  for (const each of command.commands)
    if (COMMANDS_WITH_REASON.has(`${command.name()} ${each.name()}`)) each.addOption(reasonOption());
}

function reasonOption(): Option {
  return new Option(`${REASON_FLAG} <text>`, 'Reason, recorded in the audit log').argParser((text) => {
    const reason = reasonOf(text);
    if (reason !== undefined) return reason;
    throw new InvalidArgumentError(`expected 1 to ${REASON_MAX} characters`);
  });
}
