import { boolean, type Field, id, integer, listOf, oneOf, type Raw } from '../../contract/declare/fields.ts';
import type { Input, Parameters } from '../../contract/declare/operation.ts';
import type { Fields, LimitName } from '../../contract/declare/resource.ts';
import { ROLES } from '../../contract/declare/roles.ts';
import { type ErrorDetail, wordingOf } from '../../contract/problems/problems.ts';
import { readParameters } from '../../engine/validate.ts';
import { accounts } from '../../features/ads/accounts.ts';
import { FEATURES } from '../../features/ads/features.ts';
import { fundingInstruments } from '../../features/ads/funding-instruments.ts';
import { PROMOTABLE_USER_TYPES } from '../../features/ads/promotable-users.ts';
import { settingsTable } from '../../settings.ts';

/** The limits that an account may have of its own: how operators call them -> the setting that they replace. */
export const LIMITS = {
  active_campaigns: 'active_campaigns_max',
  active_line_items: 'active_line_items_max',
  campaign_line_items: 'campaign_line_items_max',
} as const satisfies Record<string, LimitName>;

/** What an operator may say of the parts of an account, by part. @source campaigns 5.7 */
export const PARTS: Readonly<Record<Part, Parameters>> = {
  account: {
    id: id().required(),
    environment: oneOf('production', 'sandbox').defaults('production'),
    ...(accounts.fields as Fields),
  },
  user: { user_id: id().required(), role: oneOf(...ROLES).required(), post_composer: boolean() },
  promotable: { user_id: id().required(), promotable_user_type: oneOf(...PROMOTABLE_USER_TYPES).required() },
  instrument: { id: id().required(), ...instrumentFields() },
  features: { features: listOf(oneOf(...FEATURES), { min: 0, max: FEATURES.length }) },
  limits: Object.fromEntries(Object.entries(LIMITS).map(([name, setting]) => [name, limit(setting)])),
};

type Part = 'account' | 'user' | 'promotable' | 'instrument' | 'features' | 'limits';

function instrumentFields(): Record<string, Field> {
  const { account_id, ...fields } = fundingInstruments.fields as Record<string, Field>;
  return fields;
}

function limit(setting: LimitName): Field<number> {
  const [min, max] = settingsTable[setting].bounds!;
  return integer({ min, max });
}

/** What was read of an object, and what is wrong with it: one sentence each, with the place. */
export interface Read {
  readonly input: Input;
  readonly wrong: readonly string[];
}

/** Reads the members of an object that are declared. `ignored` may stand there too. */
export function readPart(
  declared: Parameters,
  object: Readonly<Record<string, Raw>>,
  place: string,
  ignored: readonly string[] = [],
): Read {
  const known = [...Object.keys(declared), ...ignored];
  const unknown = Object.keys(object).filter((name) => !known.includes(name));
  const raw = new Map(Object.entries(object).map(([name, value]) => [name, [value]] as const));
  const { input, errors } = readParameters(declared, raw);
  const strange = unknown.map((name) => `${place}.${name} is not known; known are ${known.join(', ')}`);
  return { input, wrong: [...strange, ...errors.map((error) => faultAt(place, error))] };
}

/** What is wrong, and where. */
export function faultAt(place: string, error: ErrorDetail): string {
  const name = error.parameter ?? error.attribute;
  return `${name === undefined ? place : `${place}.${name}`}: ${wordingOf(error, 'ads').message}`;
}
