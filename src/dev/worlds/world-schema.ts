import { type Schema, Type } from '../../base/json-schema.ts';
import type { Field } from '../../contract/declare/fields.ts';
import type { Parameters } from '../../contract/declare/operation.ts';
import { IDENTIFIER_KINDS } from '../../contract/store/audiences.ts';
import type { AccountInput } from '../../features/ads/administration/account-input.ts';
import { PROMOTABLE_USER_TYPES } from '../../features/ads/promotable-users.ts';
import { inputValueSchema } from '../../rows/serializer.ts';
import { PICTURE_SIZE } from './people.ts';
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
import { accountFields, fundingFields } from './world.ts';

/** Names of entries. */
const KEYS = { pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$' } as const;

const name = (about: string): Schema => Type.String({ ...KEYS, description: about });

/** The JSON Schema of world files, draft 2020-12. */
export function worldSchema(operations: Operations, accountInput: AccountInput): Schema {
  const { features, limits } = accountInput.fields;
  const role = memberSchema(ROLE_FIELDS.role!);
  const account = objectOf(
    accountFields(accountInput),
    {
      users: named(Type.Union([role, objectOf(ROLE_FIELDS, {})]), 'Roles of users on the account.'),
      promotable_users: named(
        Type.Enum(PROMOTABLE_USER_TYPES),
        'Users whose posts the account may promote; one is FULL, by default the first administrator.',
      ),
      features: { ...memberSchema(features.features!), description: 'Features; by default those of the sandbox.' },
      custom_limits: objectOf(limits, {}, 'Limits of the account, in place of those of the settings.'),
      funding: named(objectOf(fundingFields(accountInput), {}), 'Funding instruments.'),
      ...Object.fromEntries(ACCOUNT_SECTIONS.map((each) => [each.name, sectionSchema(each, operations)])),
    },
    '',
    ['users'],
  );
  // The name of the entry is the default.
  const unnamed = { ...account, required: ['users'] };
  const owner = name('User who owns the application; the first one by default.');
  const tokens = named(orEmpty(objectOf(TOKEN_FIELDS, {})), 'Tokens by user; by default every user has one.');
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'World of a development server',
    description: 'What barker dev --world begins with. Entries refer to each other by their names.',
    ...objectOf(
      {},
      {
        clock: Type.String({
          description: 'What the clock of the service shows at first, in UTC; the time of the machine by default.',
          pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,3})?Z$',
        }),
        users: atLeastOne(named(orEmpty(objectOf(USER_FIELDS, {})), 'Users, by names for this file.')),
        applications: atLeastOne(
          named(orEmpty(objectOf(APPLICATION_FIELDS, { owner, tokens })), 'Applications, by names for this file.'),
        ),
        accounts: named(unnamed, 'Advertising accounts, with everything in them.'),
      },
      '',
      ['users', 'applications'],
    ),
  };
}

const EXTRAS: Readonly<Record<NonNullable<Section['extras']>[number], Schema>> = {
  file: Type.String({ description: 'The file: its path from that of this one.' }),
  picture: Type.String({
    description: 'The size in pixels of a grey picture in place of a file, such as 800x418.',
    pattern: PICTURE_SIZE.source,
  }),
  people: Type.Array(
    Type.Object(Object.fromEntries(IDENTIFIER_KINDS.map((kind) => [kind, Type.Optional(Type.String())])), {
      additionalProperties: false,
      minProperties: 1,
    }),
    { description: 'People by what is known of them. It is hashed, unless it is a SHA-256 already.' },
  ),
};

function sectionSchema(section: Section, operations: Operations): Schema {
  const { about, form, references, extras = [], sections = [] } = section;
  if (form === 'names') {
    const [target] = Object.values(references);
    return Type.Array(name(`One of the ${target!.to.join(', ')}.`), { description: about });
  }
  const others: Record<string, Schema> = {};
  for (const [member, { to, isList }] of Object.entries(references)) {
    const one = name(`One of the ${to.join(', ')}.`);
    others[member] = isList ? Type.Union([one, Type.Array(one)]) : one;
  }
  for (const extra of extras) others[extra] = EXTRAS[extra];
  for (const each of sections) others[each.name] = sectionSchema(each, operations);
  const required = Object.entries(references)
    .filter(([, { isOptional }]) => !isOptional)
    .filter(([, { parameter }]) => operations.get(section.creates)!.parameters[parameter]!.isRequired)
    .map(([member]) => member);
  const optional = Object.values(references).flatMap(({ parameter, isOptional }) => (isOptional ? [parameter] : []));
  const all = section.namesMedia ? [] : Object.entries(fieldsOf(section, operations));
  const fields = Object.fromEntries(
    all.map(([key, field]) => [key, optional.includes(key) ? { ...field, isRequired: false } : field]),
  );
  // Components have many forms; the server checks them.
  if (section.namesMedia)
    Object.assign(others, { name: Type.String(), components: Type.Array({}), slides: Type.Array({}) });
  const entry = objectOf(fields, others, '', required);
  return form === 'map' ? named(entry, about) : Type.Array(entry, { description: about });
}

function objectOf(
  fields: Parameters,
  others: Readonly<Record<string, Schema>>,
  description = '',
  required: readonly string[] = [],
): Schema {
  const needed = [...Object.entries(fields).flatMap(([key, { isRequired }]) => (isRequired ? [key] : [])), ...required];
  return {
    type: 'object',
    ...(description !== '' && { description }),
    properties: {
      ...Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, memberSchema(field)])),
      ...others,
    },
    ...(needed.length > 0 && { required: needed }),
    additionalProperties: false,
  };
}

function memberSchema(field: Field): Schema {
  if (field.kind.name === 'instant') return time(field.description);
  const schema = inputValueSchema(field);
  if (field.kind.name !== 'list') return schema;
  // A single item needs no list.
  const { description, ...list } = schema;
  return { ...(description !== undefined && { description }), anyOf: [list, field.kind.schema.items as Schema] };
}

/** A time, or one relative to when the world is created. */
function time(description: string): Schema {
  return Type.String({
    description: `${description} UTC, such as 2026-03-02T09:00:00Z, or relative to now, such as +P3D or -PT12H.`.trim(),
    pattern: '^(\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d:\\d\\d.*)?|[+-]P[0-9DTHMSW]+)$',
  });
}

const named = (entry: Schema, description: string): Schema => ({
  type: 'object',
  description,
  patternProperties: { [KEYS.pattern]: entry },
  additionalProperties: false,
});

/** An entry that may be left empty. */
const orEmpty = (entry: Schema): Schema => ({ ...entry, type: ['object', 'null'] });

const atLeastOne = (map: Schema): Schema => ({ ...map, minProperties: 1 });
