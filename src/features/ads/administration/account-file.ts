import { isObject } from '../../../base/objects.ts';
import { isZone } from '../../../base/zones.ts';
import { itemsOf, type RawValue } from '../../../contract/declare/fields.ts';
import type { Input, Parameters } from '../../../contract/declare/operation.ts';
import { COMPOSER_ROLES, type Role } from '../../../contract/declare/roles.ts';
import { ACCOUNT_LIMITS, type AccountInput } from './account-input.ts';
import type { AccountPlan } from './account-plan.ts';

/** Read-only members of replies: accepted in a file, and ignored. */
const READ_ONLY = ['created_at', 'updated_at', 'deleted'];
const READ_ONLY_OF_INSTRUMENTS = [
  'account_id',
  'credit_remaining_local_micro',
  'able_to_fund',
  'reasons_not_able_to_fund',
];
const LISTS = ['users', 'funding_instruments', 'promotable_users', 'features', 'custom_limits'];

/** Parses a JSON file of accounts; each error is a sentence that begins with the path of the member. @source campaigns 5.7 */
export function readAccountFile(
  text: string,
  input: AccountInput,
): { readonly plans: readonly AccountPlan[]; readonly errors: readonly string[] } {
  let file: RawValue;
  try {
    file = JSON.parse(text);
  } catch (error) {
    return { plans: [], errors: [`the file is not JSON: ${(error as Error).message}`] };
  }
  if (!isObject(file) || !Array.isArray(file.accounts)) {
    return { plans: [], errors: ['accounts: expected an object with an array "accounts"'] };
  }
  const errors: string[] = [];
  const unknown = Object.keys(file).filter((name) => name !== 'accounts');
  for (const name of unknown) errors.push(`${name}: unknown member; expected only accounts`);
  const plans = (file.accounts as RawValue[]).map((account, index) =>
    readAccount(account, `accounts[${index}]`, { input, errors }),
  );
  const ids = plans.map(({ id }) => id);
  for (const [index, id] of ids.entries()) {
    if (ids.indexOf(id) < index) errors.push(`accounts[${index}].id: ${id} occurs more than once`);
  }
  return { plans, errors };
}

interface Context {
  readonly input: AccountInput;
  /** Errors are added here. */
  readonly errors: string[];
}

function readAccount(raw: RawValue, path: string, { input, errors }: Context): AccountPlan {
  const { fields } = input;
  const object = objectAt(raw, path, errors);
  const account = input.read(fields.account, object, path, [...READ_ONLY, ...LISTS]);
  errors.push(...account.errors);
  if (object.deleted === true) errors.push(`${path}.deleted: a deleted account cannot be imported`);
  const { timezone } = account.values;
  if (typeof timezone === 'string' && !isZone(timezone)) {
    errors.push(`${path}.timezone: there is no time zone ${timezone}`);
  }
  const items = (name: string, declared: Parameters, ignored: readonly string[] = []) =>
    listAt(object[name], `${path}.${name}`, errors).map((item, index) => {
      const at = `${path}.${name}[${index}]`;
      const read = input.read(declared, objectAt(item, at, errors), at, ignored);
      errors.push(...read.errors);
      return { values: read.values, at };
    });
  const users = items('users', fields.user).map(({ values, at }) => userFrom(values, at, errors));
  const featureMembers: Members = object.features === undefined ? {} : { features: object.features };
  const features = input.read(fields.features, featureMembers, path);
  const limits = input.read(
    fields.limits,
    objectAt(object.custom_limits ?? {}, `${path}.custom_limits`, errors),
    `${path}.custom_limits`,
  );
  errors.push(...features.errors, ...limits.errors);
  const promotable = items('promotable_users', fields.promotable, ['id', ...READ_ONLY]).map(({ values }) => ({
    user: String(values.user_id),
    type: values.promotable_user_type as 'FULL',
  }));
  return {
    id: String(account.values.id),
    environment: (account.values.environment ?? 'production') as AccountPlan['environment'],
    values: account.values,
    users,
    promotable: withFullUser(promotable, users, { path, errors }),
    instruments: items('funding_instruments', fields.instrument, [...READ_ONLY, ...READ_ONLY_OF_INSTRUMENTS]).map(
      ({ values: { id, ...values }, at }) => ({ id: String(id), values, path: at }),
    ),
    features: itemsOf(features.values.features),
    limits: Object.fromEntries(
      Object.entries(limits.values).map(([name, value]) => [
        ACCOUNT_LIMITS[name as keyof typeof ACCOUNT_LIMITS],
        Number(value),
      ]),
    ),
  };
}

function userFrom(values: Input, path: string, errors: string[]): AccountPlan['users'][number] {
  const role = values.role as Role;
  const composer = values.post_composer === 1;
  if (composer && !COMPOSER_ROLES.includes(role)) {
    errors.push(`${path}.post_composer: not allowed for ${role}; it applies to ${COMPOSER_ROLES.join(', ')}`);
  }
  return { user: String(values.user_id), role, composer };
}

/** Adds the FULL promotable user, by default the first administrator; an account has exactly one. */
function withFullUser(
  promotable: AccountPlan['promotable'],
  users: AccountPlan['users'],
  { path, errors }: { readonly path: string; readonly errors: string[] },
): AccountPlan['promotable'] {
  const full = promotable.filter(({ type }) => type === 'FULL');
  if (full.length > 1) errors.push(`${path}.promotable_users: expected one of type FULL, got ${full.length}`);
  if (full.length > 0) return promotable;
  const admin = users.find(({ role }) => role === 'ACCOUNT_ADMIN');
  if (!admin) errors.push(`${path}.users: expected an ACCOUNT_ADMIN, or a promotable user of type FULL`);
  return admin ? [...promotable, { user: admin.user, type: 'FULL' }] : promotable;
}

type Members = Readonly<Record<string, RawValue>>;

function objectAt(raw: RawValue, path: string, errors: string[]): Members {
  if (isObject(raw)) return raw;
  errors.push(`${path}: expected an object`);
  return {};
}

function listAt(raw: RawValue | undefined, path: string, errors: string[]): readonly RawValue[] {
  if (raw === undefined) return [];
  if (Array.isArray(raw)) return raw;
  errors.push(`${path}: expected an array`);
  return [];
}
