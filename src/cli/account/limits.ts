import type { Command } from 'commander';
import { insist, tell } from '../registering.ts';
import { LIMITS, PARTS, readPart } from './fields.ts';
import { changeAccount, good, onAccount } from './found.ts';

/** Gives an account limits of its own; `default` lets the setting hold again. */
export async function setLimits(command: Command, id: string): Promise<void> {
  const told = Object.fromEntries(
    command.options
      .map(
        (option) => [option.long?.slice(2).replaceAll('-', '_') ?? '', command.opts()[option.attributeName()]] as const,
      )
      .filter(([name, value]) => name in LIMITS && value !== undefined),
  ) as Record<string, string>;
  if (Object.keys(told).length === 0) insist('give a limit');
  const numbers = Object.fromEntries(Object.entries(told).filter(([, value]) => value !== 'default'));
  const input = good(readPart(PARTS.limits, numbers, 'limits'));
  const limits = await onAccount(command, id, async (registrar, { limits: before }) => {
    const after: Record<string, number> = { ...before };
    for (const name of Object.keys(told)) {
      const setting = LIMITS[name as keyof typeof LIMITS];
      if (input[name] === undefined) delete after[setting];
      else after[setting] = Number(input[name]);
    }
    await changeAccount(registrar, id, { limits: JSON.stringify(after) });
    return after;
  });
  const shown = Object.entries(LIMITS).map(([name, setting]) => [name, String(limits[setting] ?? 'default')] as const);
  tell({ account_id: id, ...Object.fromEntries(shown) });
}
