import type { ProblemName } from '../../../src/contract/problems/problems.ts';
import { ACTIVE_MAX, home, instrument, type Said } from './setting.ts';

/** How an amount that is no whole number of cents is refused. */
export const UNIT = 'Expected a multiple of 10000 USD micros, got 1000001 for';

/** Rules of campaigns, each broken by a create, by an update, and by an item of a batch. */
export const rules: readonly {
  readonly name: ProblemName;
  readonly input: string;
  readonly status: number;
  /** Parameters of the update; those of the create beside them. */
  readonly params: Readonly<Record<string, string | number>>;
  readonly created?: Readonly<Record<string, string | number>>;
  readonly onlyOn?: 'create';
  /** Makes what the campaign is paid by, where it matters. */
  readonly paidBy?: () => Promise<string>;
  /** Fills the account up before. */
  readonly full?: true;
  error(instrumentId: string): Said;
}[] = [
  {
    name: 'INVALID',
    input: 'a daily budget above the total',
    status: 400,
    params: { daily_budget_amount_local_micro: 2_000_000, total_budget_amount_local_micro: 1_000_000 },
    error: () => ({
      code: 'INVALID',
      message: 'Daily budget cannot exceed the total budget',
      attribute: 'daily_budget_amount_local_micro',
    }),
  },
  {
    name: 'INVALID_DENOMINATION',
    input: 'a part of a cent',
    status: 400,
    params: { total_budget_amount_local_micro: 1_000_001 },
    error: () => ({
      code: 'INVALID_DENOMINATION',
      message: `${UNIT} total_budget_amount_local_micro`,
      parameter: 'total_budget_amount_local_micro',
    }),
  },
  {
    name: 'CREDIT_LIMIT_EXCEEDED',
    input: 'a total above what is left of a credit line',
    status: 403,
    params: { total_budget_amount_local_micro: 20_000_000 },
    paidBy: () => instrument({ type: 'CREDIT_LINE', credit_limit_local_micro: 10_000_000 }),
    error: (id) => ({
      code: 'FUNDING_INSTRUMENT_EXCEEDS_AVAILABLE_CREDIT_LIMIT',
      message: `The total budget exceeds the remaining credit of funding instrument ${id}`,
      parameter: 'total_budget_amount_local_micro',
      value: id,
    }),
  },
  {
    name: 'FUNDING_INSTRUMENT_NOT_FOUND',
    input: 'an instrument that there is not',
    status: 404,
    params: {},
    onlyOn: 'create',
    paidBy: async () => 'zz9zz',
    error: (id) => ({
      code: 'FUNDING_INSTRUMENT_NOT_FOUND',
      message: `Funding instrument ${id} was not found`,
      parameter: 'funding_instrument_id',
      value: id,
    }),
  },
  {
    name: 'INVALID_FUNDING_INSTRUMENT',
    input: 'an instrument that is over',
    status: 400,
    params: {},
    onlyOn: 'create',
    paidBy: () => instrument({ type: 'CREDIT_CARD', end_time: '2026-02-01' }),
    error: (id) => ({
      code: 'INVALID_FUNDING_INSTRUMENT',
      message: `Funding instrument ${id} cannot fund campaigns: EXPIRED`,
      parameter: 'funding_instrument_id',
      value: id,
    }),
  },
  {
    name: 'TOO_MANY_CAMPAIGNS',
    input: 'one active campaign too many',
    status: 400,
    params: { entity_status: 'ACTIVE' },
    full: true,
    error: () => ({
      code: 'TOO_MANY_CAMPAIGNS',
      message: `Account ${home.account} cannot have more than ${ACTIVE_MAX} active campaigns`,
      parameter: 'entity_status',
    }),
  },
];
