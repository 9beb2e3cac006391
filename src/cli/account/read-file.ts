import { isZone } from '../../base/zones.ts';
import { itemsOf, type Raw } from '../../contract/declare/fields.ts';
import type { Input, Parameters } from '../../contract/declare/operation.ts';
import { COMPOSER_ROLES, type Role } from '../../contract/declare/roles.ts';
import { LIMITS, PARTS, readPart } from './fields.ts';
import type { AccountPlan } from './plan.ts';

/** What a file of accounts comes to: plans, and one sentence with its place for everything that is wrong. */
export interface FileRead {
  readonly plans: readonly AccountPlan[];
  readonly wrong: readonly string[];
}

/** What replies tell of an account or an instrument and nobody sets: it may stand in a file and means nothing there. */
const TOLD = ['created_at', 'updated_at', 'deleted'];
const TOLD_OF_INSTRUMENTS = ['account_id', 'credit_remaining_local_micro', 'able_to_fund', 'reasons_not_able_to_fund'];
const LISTS = ['users', 'funding_instruments', 'promotable_users', 'features', 'custom_limits'];

/** Reads the text of a file of accounts. @source campaigns 5.7 */
export function readFile(text: string): FileRead {
  let file: Raw;
  try {
    file = JSON.parse(text);
  } catch (error) {
    return { plans: [], wrong: [`the file is not JSON: ${(error as Error).message}`] };
  }
  if (!isObject(file) || !Array.isArray(file.accounts)) {
    return { plans: [], wrong: ['accounts: expected an object with an array "accounts"'] };
  }
  const wrong: string[] = [];
  const strange = Object.keys(file).filter((name) => name !== 'accounts');
  for (const name of strange) wrong.push(`${name} is not known; known is accounts`);
  const plans = (file.accounts as Raw[]).map((account, index) => readAccount(account, `accounts[${index}]`, wrong));
  const ids = plans.map(({ id }) => id);
  for (const [index, id] of ids.entries()) {
    if (ids.indexOf(id) < index) wrong.push(`accounts[${index}].id: ${id} stands in the file before`);
  }
  return { plans, wrong };
}

function readAccount(raw: Raw, place: string, wrong: string[]): AccountPlan {
  const object = objectAt(raw, place, wrong);
  const { input, wrong: errors } = readPart(PARTS.account, object, place, [...TOLD, ...LISTS]);
  wrong.push(...errors);
  if (object.deleted === true) wrong.push(`${place}.deleted: a deleted account cannot be imported`);
  const { timezone } = input;
  if (typeof timezone === 'string' && !isZone(timezone)) {
    wrong.push(`${place}.timezone: there is no time zone ${timezone}`);
  }
  const parts = (name: string, declared: Parameters, ignored: readonly string[] = []) =>
    listAt(object[name], `${place}.${name}`, wrong).map((each, index) => {
      const at = `${place}.${name}[${index}]`;
      const { input: values, wrong: own } = readPart(declared, objectAt(each, at, wrong), at, ignored);
      wrong.push(...own);
      return { values, at };
    });
  const users = parts('users', PARTS.user).map(({ values, at }) => userOf(values, at, wrong));
  const features: Members = object.features === undefined ? {} : { features: object.features };
  const keys = readPart(PARTS.features, features, place);
  const limits = readPart(
    PARTS.limits,
    objectAt(object.custom_limits ?? {}, `${place}.custom_limits`, wrong),
    `${place}.custom_limits`,
  );
  wrong.push(...keys.wrong, ...limits.wrong);
  const promotable = parts('promotable_users', PARTS.promotable, ['id', ...TOLD]).map(({ values }) => ({
    user: String(values.user_id),
    type: values.promotable_user_type as 'FULL',
  }));
  return {
    id: String(input.id),
    environment: (input.environment ?? 'production') as AccountPlan['environment'],
    values: input,
    users,
    promotable: advertised(promotable, users, place, wrong),
    instruments: parts('funding_instruments', PARTS.instrument, [...TOLD, ...TOLD_OF_INSTRUMENTS]).map(
      ({ values: { id, ...values }, at }) => ({ id: String(id), values, place: at }),
    ),
    features: itemsOf(String(keys.input.features ?? '[]')),
    limits: Object.fromEntries(
      Object.entries(limits.input).map(([name, value]) => [LIMITS[name as keyof typeof LIMITS], Number(value)]),
    ),
  };
}

function userOf(values: Input, place: string, wrong: string[]): AccountPlan['users'][number] {
  const role = values.role as Role;
  const composer = values.post_composer === 1;
  if (composer && !COMPOSER_ROLES.includes(role)) {
    wrong.push(`${place}.post_composer: ${role} cannot have it; it applies to ${COMPOSER_ROLES.join(', ')}`);
  }
  return { user: String(values.user_id), role, composer };
}

/** Exactly one user is promoted in full; the first administrator, when the file names none. */
function advertised(
  named: AccountPlan['promotable'],
  users: AccountPlan['users'],
  place: string,
  wrong: string[],
): AccountPlan['promotable'] {
  const full = named.filter(({ type }) => type === 'FULL');
  if (full.length > 1) wrong.push(`${place}.promotable_users: expected one of type FULL, got ${full.length}`);
  if (full.length > 0) return named;
  const admin = users.find(({ role }) => role === 'ACCOUNT_ADMIN');
  if (!admin) wrong.push(`${place}.users: expected an ACCOUNT_ADMIN, or a promotable user of type FULL`);
  return admin ? [...named, { user: admin.user, type: 'FULL' }] : named;
}

type Members = Readonly<Record<string, Raw>>;

function isObject(raw: Raw | undefined): raw is Members {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw);
}

function objectAt(raw: Raw, place: string, wrong: string[]): Members {
  if (isObject(raw)) return raw;
  wrong.push(`${place}: expected an object`);
  return {};
}

function listAt(raw: Raw | undefined, place: string, wrong: string[]): readonly Raw[] {
  if (raw === undefined) return [];
  if (Array.isArray(raw)) return raw;
  wrong.push(`${place}: expected an array`);
  return [];
}
