import type { Input, Parameters } from '../../contract/declare/operation.ts';
import type { AccountInput } from '../../features/ads/administration/account-input.ts';
import { parseTime } from '../clock/times.ts';
import {
  type Allowed,
  type Complaints,
  checkFields,
  entriesOf,
  isObject,
  itemsOf,
  type Located,
  type Members,
  membersOf,
  textOf,
} from './checker.ts';
import { checkPeople, sizeOf } from './people.ts';
import {
  ACCOUNT_SECTIONS,
  APPLICATION_FIELDS,
  fieldsOf,
  type Operations,
  ROLE_FIELDS,
  type Section,
  TOKEN_FIELDS,
  USER_FIELDS,
} from './sections.ts';

/** An entry of a world: a user, an application, an account, or what an operation creates. */
export interface Entry {
  /** Its name; the position in a list. */
  readonly key: string;
  readonly at: Located;
  readonly members: Members;
}

/** An entry that an operation creates, with those in it. */
export interface Made extends Entry {
  readonly section: Section;
  readonly inner: readonly Made[];
}

/** A user, an application or a token, with its fields. */
export interface Described extends Entry {
  readonly input: Input;
}

/** An application. */
export interface WorldApplication extends Described {
  readonly owner: string;
  /** By user; undefined: every user has one. */
  readonly tokens: readonly Described[] | undefined;
}

/** An account. */
export interface WorldAccount extends Entry {
  readonly environment: 'production' | 'sandbox';
  readonly users: readonly Described[];
  readonly promotable: readonly { readonly user: string; readonly type: string }[];
  readonly funding: readonly Entry[];
  readonly made: readonly Made[];
}

/** A parsed world, validated as far as possible before it is created. */
export interface World {
  /** The first time of the clock, in milliseconds since 1970; undefined: that of the machine. */
  readonly clock_ms: number | undefined;
  readonly users: readonly Described[];
  readonly applications: readonly WorldApplication[];
  readonly accounts: readonly WorldAccount[];
}

/** The dependencies of a check. */
export interface CheckContext {
  readonly operations: Operations;
  readonly accountInput: AccountInput;
  readonly complaints: Complaints;
  /** UTC text. */
  readonly now: string;
}

/** The members of an account that no operation creates, beside its fields. */
const ACCOUNT_OTHERS = ['users', 'promotable_users', 'features', 'custom_limits', 'funding'] as const;

/** The members of the root. */
const ROOT = ['clock', 'users', 'applications', 'accounts'] as const;

/** The fields of an account in a world file. */
export function accountFields({ fields }: AccountInput): Parameters {
  const { id, ...others } = fields.account;
  return { ...others, id: { ...id!, isRequired: false } };
}

/** The fields of a funding instrument in a world file. */
export function fundingFields({ fields }: AccountInput): Parameters {
  const { id, start_time, ...others } = fields.instrument;
  return { ...others, start_time: { ...start_time!, isRequired: false } };
}

/** Parses a world and reports all errors. */
export function checkWorld(root: Located, context: CheckContext): World {
  const { complaints } = context;
  const members = membersOf(root, { fields: {}, others: ROOT }, complaints);
  for (const name of ['users', 'applications']) {
    const member = members.get(name);
    if (!member || (isObject(member) && member.value.size === 0)) {
      complaints.add(root, 'a world needs at least one of them', name);
    }
  }
  const users = entriesOf(members.get('users'), complaints).map(([key, at]) =>
    described(key, at, { fields: USER_FIELDS, others: [] }, context),
  );
  const names = new Set(users.map(({ key }) => key));
  return {
    clock_ms: clockOf(members.get('clock'), complaints),
    users,
    applications: entriesOf(members.get('applications'), complaints).map(([key, at]) =>
      checkApplication(key, at, names, context),
    ),
    accounts: entriesOf(members.get('accounts'), complaints).map(([key, at]) => checkAccount(key, at, names, context)),
  };
}

function clockOf(at: Located | undefined, complaints: Complaints): number | undefined {
  if (!at || at.value === null) return undefined;
  const ms = typeof at.value === 'string' ? parseTime(at.value) : undefined;
  if (ms === undefined) complaints.add(at, 'expected a UTC time such as 2026-03-02T09:00:00Z');
  return ms;
}

function described(key: string, at: Located, allowed: Allowed, context: CheckContext): Described {
  const members = membersOf(at, allowed, context.complaints);
  return { key, at, members, input: checkFields({ at, members }, allowed.fields, context) };
}

function userNamed(at: Located, users: ReadonlySet<string>, { complaints }: CheckContext): string {
  const name = textOf(at, complaints);
  if (name !== undefined && !users.has(name)) complaints.add(at, `there is no user ${name} in this file`);
  return name ?? '';
}

function checkApplication(
  key: string,
  at: Located,
  users: ReadonlySet<string>,
  context: CheckContext,
): WorldApplication {
  const found = described(key, at, { fields: APPLICATION_FIELDS, others: ['owner', 'tokens'] }, context);
  const owner = found.members.get('owner');
  const tokens = found.members.get('tokens');
  const named = entriesOf(tokens, context.complaints);
  for (const [user, token] of named) {
    if (!users.has(user)) context.complaints.add(token, `there is no user ${user} in this file`);
  }
  return {
    ...found,
    owner: owner === undefined ? [...users][0]! : userNamed(owner, users, context),
    tokens:
      tokens === undefined
        ? undefined
        : named.map(([user, token]) => described(user, token, { fields: TOKEN_FIELDS, others: [] }, context)),
  };
}

function checkAccount(key: string, at: Located, users: ReadonlySet<string>, context: CheckContext): WorldAccount {
  const { complaints, accountInput } = context;
  const others = [...ACCOUNT_OTHERS, ...ACCOUNT_SECTIONS.map(({ name }) => name)];
  const members = membersOf(at, { fields: accountFields(accountInput), others }, complaints);
  const roles = entriesOf(members.get('users'), complaints).map(([user, role]) => {
    if (!users.has(user)) complaints.add(role, `there is no user ${user} in this file`);
    // Most entries have nothing but a role.
    const isWord = typeof role.value === 'string';
    const entry = isWord ? { ...role, value: new Map([['role', role]]) } : role;
    return described(user, entry, { fields: ROLE_FIELDS, others: [] }, context);
  });
  const promotable = entriesOf(members.get('promotable_users'), complaints).map(([user, type]) => {
    if (!users.has(user)) complaints.add(type, `there is no user ${user} in this file`);
    return { user, type: textOf(type, complaints) ?? '' };
  });
  const funding = entriesOf(members.get('funding'), complaints).map(([name, each]) => ({
    key: name,
    at: each,
    members: membersOf(each, { fields: fundingFields(accountInput), others: [] }, complaints),
  }));
  const made = ACCOUNT_SECTIONS.flatMap((section) => checkSection(section, members.get(section.name), context));
  const environment = members.get('environment')?.value === 'sandbox' ? 'sandbox' : 'production';
  const account = { key, at, members, environment, users: roles, promotable, funding, made } as const;
  checkReferences(made, { account, users, complaints });
  return account;
}

function checkSection(section: Section, at: Located | undefined, context: CheckContext): Made[] {
  const { complaints, operations, now } = context;
  const { form, references, extras = [], sections = [] } = section;
  if (form === 'names') {
    const [name] = Object.keys(references);
    return itemsOf(at).map((item, index) => ({
      key: String(index),
      at: item,
      section,
      inner: [],
      members: new Map([[name!, item]]),
    }));
  }
  const fields = fieldsOf(section, operations);
  const others = [...Object.keys(references), ...extras, ...sections.map(({ name }) => name)];
  const entries =
    form === 'map' ? entriesOf(at, complaints) : itemsOf(at).map((item, index) => [String(index), item] as const);
  return entries.map(([key, entry]) => {
    const members = membersOf(entry, { fields, others }, complaints);
    // Fields that name media are read once those are known.
    const own = section.namesMedia ? {} : withoutNamed(fields, section, members);
    checkFields({ at: entry, members }, own, { now, complaints, family: operations.get(section.creates)!.family });
    checkExtras(section, { at: entry, members }, complaints);
    for (const [name, { parameter, isOptional }] of Object.entries(references)) {
      if (isOptional && members.has(name) && members.has(parameter)) {
        complaints.add(members.get(name)!, `give either ${name} or ${parameter}`);
      }
      const isNeeded = operations.get(section.creates)!.parameters[parameter]!.isRequired;
      if (isNeeded && !members.has(name) && !members.has(parameter))
        complaints.add(entry, `"${name}" is a required parameter`, name);
    }
    const inner = sections.flatMap((each) => checkSection(each, members.get(each.name), context));
    return { key, at: entry, members, section, inner };
  });
}

/** Returns the fields that no reference replaces. */
function withoutNamed(fields: Parameters, { references }: Section, members: Members): Parameters {
  const named = Object.entries(references).flatMap(([name, { parameter }]) => (members.has(name) ? [parameter] : []));
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !named.includes(name)));
}

function checkExtras(
  { extras = [] }: Section,
  { at, members }: Pick<Entry, 'at' | 'members'>,
  complaints: Complaints,
): void {
  if (extras.includes('people')) checkPeople(members.get('people'), complaints);
  if (!extras.includes('file')) return;
  const [file, picture] = [members.get('file'), members.get('picture')];
  if ((file === undefined) === (picture === undefined)) complaints.add(at, 'give either file or picture');
  if (file) textOf(file, complaints);
  if (picture && sizeOf(picture) === undefined) complaints.add(picture, 'expected a size in pixels such as 800x418');
}

/** Reports references to missing entries. */
function checkReferences(
  made: readonly Made[],
  of: {
    readonly account: Pick<WorldAccount, 'funding' | 'made'>;
    readonly users: ReadonlySet<string>;
    readonly complaints: Complaints;
  },
): void {
  const { account, users, complaints } = of;
  const keysOf = (to: readonly string[]): ReadonlySet<string> => {
    if (to.includes('users')) return users;
    const made = account.made.filter(({ section }) => to.includes(section.name));
    return new Set((to.includes('funding') ? account.funding : made).map(({ key }) => key));
  };
  for (const { section, members, inner } of made) {
    for (const [name, { to, isList: isMany }] of Object.entries(section.references)) {
      const member = members.get(name);
      if (!member) continue;
      const keys = keysOf(to);
      for (const item of isMany ? itemsOf(member) : [member]) {
        const key = textOf(item, complaints);
        if (key === undefined || keys.has(key)) continue;
        const known = keys.size === 0 ? 'none' : [...keys].join(', ');
        const where = to.includes('users') ? 'users' : `the ${to.join(' and ')} of the account`;
        complaints.add(item, `there is no ${key} in ${where}; there is ${known}`);
      }
    }
    checkReferences(inner, of);
  }
}
