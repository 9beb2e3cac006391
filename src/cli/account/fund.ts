import type { Command } from 'commander';
import { accountInput } from '../../app/account-input.ts';
import { putInstruments } from '../../features/ads/administration/apply-plan.ts';
import { fundingInstruments } from '../../features/ads/funding-instruments.ts';
import { takeId } from '../../features/platform/ids.ts';
import { printFields } from '../output.ts';
import { updateAccount, validValues } from './on-account.ts';

/** Adds a funding instrument to an account. */
export async function fundAccount(command: Command, id: string): Promise<void> {
  const options = command.opts();
  const { id: _, ...fields } = accountInput.fields.instrument;
  const instrument = await updateAccount(command, id, async ({ tx, random, now, addTarget }) => {
    const given = {
      type: options.type,
      currency: options.currency,
      start_time: options.startTime ?? now,
      end_time: options.endTime,
      credit_limit_local_micro: options.creditLimit,
      funded_amount_local_micro: options.fundedAmount,
      description: options.description,
      io_header: options.ioHeader,
    };
    const defined = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const values = validValues(accountInput.read(fields, defined, 'funding_instrument'));
    const { name: kind, ids } = fundingInstruments;
    const own = await takeId(tx, random, { kind, start: ids.from });
    await putInstruments(tx, id, [{ id: own, values, path: 'funding_instrument' }], now);
    addTarget('funding_instrument', own);
    return own;
  });
  printFields({ account_id: id, funding_instrument_id: instrument });
}
