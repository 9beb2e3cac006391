import type { Command } from 'commander';
import { printFields } from '../output.ts';
import { updateAccount, updateColumns } from './on-account.ts';

/** Sets whether an account may advertise, which decides what its campaigns can serve. */
export async function setApproval(command: Command, id: string): Promise<void> {
  const { status } = command.opts<{ status: string }>();
  await updateAccount(command, id, (registrar) => updateColumns(registrar, id, { approval_status: status }));
  printFields({ account_id: id, approval_status: status });
}
