import { startOfDayAt } from '../../../base/zones.ts';
import type { Environment } from '../../../contract/declare/account-state.ts';
import type { Input } from '../../../contract/declare/operation.ts';
import type { Row } from '../../../contract/declare/resource.ts';
import type { Role } from '../../../contract/declare/roles.ts';
import { foldedName } from '../../../rows/search-columns.ts';
import { newAccount } from '../accounts.ts';
import { deriveAmounts, type FundingInstrument, fundingInstruments } from '../funding-instruments.ts';
import type { PROMOTABLE_USER_TYPES } from '../promotable-users.ts';

/** The desired state of a funding instrument. */
export interface PlannedInstrument {
  readonly id: string;
  readonly values: Input;
  /** Its path in the input, for error messages. */
  readonly path: string;
}

/** The desired state of an account. */
export interface AccountPlan {
  readonly id: string;
  readonly environment: Environment;
  /** Values of its fields. An absent field keeps its value; a new account gets the default. */
  readonly values: Input;
  readonly users: readonly { readonly user: string; readonly role: Role; readonly composer: boolean }[];
  readonly promotable: readonly { readonly user: string; readonly type: (typeof PROMOTABLE_USER_TYPES)[number] }[];
  readonly instruments: readonly PlannedInstrument[];
  readonly features: readonly string[];
  /** By setting name. */
  readonly limits: Readonly<Record<string, number>>;
}

/** Builds the row of a new account. */
export function accountRow(plan: AccountPlan, now: string): Row {
  const { id, environment, values } = plan;
  const row = { ...newAccount({ id, environment, name: String(values.name), now }), ...withoutKeys(values) };
  if (environment === 'sandbox' || values.timezone_switch_at !== undefined) return row;
  // The time zone of a production account applies from the day of its creation.
  return { ...row, timezone_switch_at: startOfDayAt(Date.parse(now), String(row.timezone)) };
}

/** Returns the changed columns of an account, including the folded name for searches. */
export function accountChanges({ values }: AccountPlan, before: Row): Record<string, string | number | null> {
  const changes = changedValues(withoutKeys(values), before);
  return typeof changes.name === 'string' ? { ...changes, name_folded: foldedName(changes.name) } : changes;
}

/** Builds the row of a new funding instrument, with its derived columns. */
export function instrumentRow(account: string, id: string, values: Input, now: string): Row {
  const fields = Object.entries(fundingInstruments.fields);
  const filled = Object.fromEntries(fields.map(([name, field]) => [name, values[name] ?? field.defaultValue ?? null]));
  const type = String(values.type);
  filled.description = values.description ?? type[0] + type.slice(1).toLowerCase().replaceAll('_', ' ');
  const standard = { id, account_id: account, created_at: now, updated_at: now, deleted: 0 };
  const row = { ...filled, ...standard } as FundingInstrument;
  return { ...row, ...deriveAmounts(row) } as Row;
}

/** Returns the values that differ from those of a row. */
export function changedValues(values: Input, before: Row): Record<string, string | number | null> {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => before[name] !== value));
}

function withoutKeys({ id, environment, ...values }: Input): Input {
  return values;
}
