import { foldCase } from '../../base/text.ts';
import { startOfDayAround } from '../../base/zones.ts';
import type { Input } from '../../contract/declare/operation.ts';
import type { Environment, Row } from '../../contract/declare/resource.ts';
import type { Role } from '../../contract/declare/roles.ts';
import { newAccount } from '../../features/ads/accounts.ts';
import { type FundingInstrument, fundingInstruments, settledAmounts } from '../../features/ads/funding-instruments.ts';
import type { PROMOTABLE_USER_TYPES } from '../../features/ads/promotable-users.ts';

/** What an operator wants a funding instrument to be. */
export interface PlannedInstrument {
  readonly id: string;
  readonly values: Input;
  /** Where it was said, for what is wrong with it. */
  readonly place: string;
}

/** What an operator wants an account to be. */
export interface AccountPlan {
  readonly id: string;
  readonly environment: Environment;
  /** Values of its fields; what is absent stays as it is, or is what a new account has. */
  readonly values: Input;
  readonly users: readonly { readonly user: string; readonly role: Role; readonly composer: boolean }[];
  readonly promotable: readonly { readonly user: string; readonly type: (typeof PROMOTABLE_USER_TYPES)[number] }[];
  readonly instruments: readonly PlannedInstrument[];
  readonly features: readonly string[];
  /** By setting name. */
  readonly limits: Readonly<Record<string, number>>;
}

/** The row of an account that does not exist yet. */
export function accountRow(plan: AccountPlan, now: string): Row {
  const { id, environment, values } = plan;
  const row = { ...newAccount({ id, environment, name: String(values.name), now }), ...defined(values) } as Row;
  if (environment === 'sandbox' || values.timezone_switch_at !== undefined) return row;
  // A production account has its time zone from the day on which it was made.
  return { ...row, timezone_switch_at: startOfDayAround(Date.parse(now), String(row.timezone)) };
}

/** What of an account is to be changed, with the column that its name is searched by. */
export function accountChanges({ values }: AccountPlan, before: Row): Record<string, string | number | null> {
  const changes = differing(defined(values), before);
  return typeof changes.name === 'string' ? { ...changes, name_folded: foldCase(changes.name) } : changes;
}

/** The row of a funding instrument, with what follows from its values. */
export function instrumentRow(account: string, id: string, values: Input, now: string): Row {
  const fields = Object.entries(fundingInstruments.fields);
  const filled = Object.fromEntries(fields.map(([name, field]) => [name, values[name] ?? field.fallback ?? null]));
  const standard = { id, account_id: account, created_at: now, updated_at: now, deleted: 0 };
  const row = { ...filled, ...standard } as unknown as FundingInstrument;
  return { ...row, ...settledAmounts(row) } as unknown as Row;
}

/** The values that differ from those of a row. */
export function differing(values: Input, before: Row): Record<string, string | number | null> {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => before[name] !== value));
}

function defined({ id, environment, ...values }: Input): Input {
  return values;
}
