import type { Command } from 'commander';
import { fundingInstruments } from '../../features/ads/funding-instruments.ts';
import { takeIdIn } from '../../features/platform/ids.ts';
import { tell } from '../registering.ts';
import { PARTS, readPart } from './fields.ts';
import { good, onAccount } from './found.ts';
import { putInstruments } from './put-account.ts';

/** Gives an account a funding instrument, by the rules that instruments have. */
export async function fundAccount(command: Command, id: string): Promise<void> {
  const told = command.opts();
  const { id: _, ...declared } = PARTS.instrument;
  const instrument = await onAccount(command, id, async ({ tx, random, now, touched }) => {
    const input = {
      type: told.type,
      currency: told.currency,
      start_time: told.startTime ?? now,
      end_time: told.endTime,
      credit_limit_local_micro: told.creditLimit,
      funded_amount_local_micro: told.fundedAmount,
      description: told.description,
      io_header: told.ioHeader,
    };
    const said = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
    const values = good(readPart(declared, said, 'funding_instrument'));
    const { name: kind, idsFrom: start } = fundingInstruments;
    const own = await takeIdIn(tx, random, { kind, start });
    await putInstruments(tx, id, [{ id: own, values, place: 'funding_instrument' }], now);
    touched('funding_instrument', own);
    return own;
  });
  tell({ account_id: id, funding_instrument_id: instrument });
}
