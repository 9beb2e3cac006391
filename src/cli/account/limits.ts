import type { Command } from 'commander';
import { accountInput } from '../../app/account-input.ts';
import { ACCOUNT_LIMITS } from '../../features/ads/administration/account-input.ts';
import { failIf } from '../failure.ts';
import { printFields } from '../output.ts';
import { updateAccount, updateColumns, validValues } from './on-account.ts';

/** Overrides limits of an account; `default` restores the limit of the settings. */
export async function setLimits(command: Command, id: string): Promise<void> {
  const options = Object.fromEntries(
    command.options
      .map(
        (option) => [option.long?.slice(2).replaceAll('-', '_') ?? '', command.opts()[option.attributeName()]] as const,
      )
      .filter(([name, value]) => name in ACCOUNT_LIMITS && value !== undefined),
  ) as Record<string, string>;
  if (Object.keys(options).length === 0) failIf('give a limit');
  const numbers = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== 'default'));
  const given = validValues(accountInput.read(accountInput.fields.limits, numbers, 'limits'));
  const limits = await updateAccount(command, id, async (registrar, { limits: before }) => {
    const after: Record<string, number> = { ...before };
    for (const name of Object.keys(options)) {
      const setting = ACCOUNT_LIMITS[name as keyof typeof ACCOUNT_LIMITS];
      if (given[name] === undefined) delete after[setting];
      else after[setting] = Number(given[name]);
    }
    await updateColumns(registrar, id, { limits: JSON.stringify(after) });
    return after;
  });
  const effective = Object.entries(ACCOUNT_LIMITS).map(
    ([name, setting]) => [name, String(limits[setting] ?? 'default')] as const,
  );
  printFields({ account_id: id, ...Object.fromEntries(effective) });
}
