import type { Command } from 'commander';
import { tell } from '../registering.ts';
import { changeAccount, onAccount } from './on-account.ts';

/** Says whether an account may advertise: what campaigns serve depends on it. */
export async function setApproval(command: Command, id: string): Promise<void> {
  const { status } = command.opts<{ status: string }>();
  await onAccount(command, id, (registrar) => changeAccount(registrar, id, { approval_status: status }));
  tell({ account_id: id, approval_status: status });
}
