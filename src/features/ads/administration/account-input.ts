import { boolean, type Field, id, integer, listOf, oneOf, type RawValue } from '../../../contract/declare/fields.ts';
import type { Input, Parameters } from '../../../contract/declare/operation.ts';
import type { Fields, LimitName } from '../../../contract/declare/resource.ts';
import { ROLES } from '../../../contract/declare/roles.ts';
import { type ErrorDetail, wordingOf } from '../../../contract/problems/problems.ts';
import { FEATURES } from '../account-features.ts';
import { accounts } from '../accounts.ts';
import { fundingInstruments } from '../funding-instruments.ts';
import { PROMOTABLE_USER_TYPES } from '../promotable-users.ts';

/**
 * The limits that an account can override: operator-facing name -> overridden setting.
 * @source decision 41
 */
export const ACCOUNT_LIMITS = {
  active_campaigns: 'active_campaigns_max',
  active_line_items: 'active_line_items_max',
  campaign_line_items: 'campaign_line_items_max',
} as const satisfies Record<string, LimitName>;

/** The sections of account data in files and options. */
type AccountSection = 'account' | 'user' | 'promotable' | 'instrument' | 'features' | 'limits';

/** The valid values of an object, and its errors: sentences that begin with the path of the member. */
export interface InputResult {
  readonly values: Input;
  readonly errors: readonly string[];
}

/** Reads account data from files and command options of operators. @source campaigns 5.7 */
export interface AccountInput {
  /** The declared fields, by section. */
  readonly fields: Readonly<Record<AccountSection, Parameters>>;
  /** Reads the declared members of an object at a path. Members in `ignored` are allowed and skipped. */
  read(
    fields: Parameters,
    object: Readonly<Record<string, RawValue>>,
    path: string,
    ignored?: readonly string[],
  ): InputResult;
}

/** The dependencies of `createAccountInput`. */
interface AccountInputDependencies {
  /** Validates raw values against declared parameters; provided by the engine. */
  readonly readParameters: (
    declared: Parameters,
    raw: ReadonlyMap<string, readonly RawValue[]>,
  ) => { readonly input: Input; readonly errors: readonly ErrorDetail[] };
  /** The bounds of a setting, inclusive. */
  readonly limitBounds: (setting: LimitName) => readonly [min: number, max: number];
}

/** Creates an account input reader. */
export function createAccountInput({ readParameters, limitBounds }: AccountInputDependencies): AccountInput {
  const limit = (setting: LimitName): Field<number> => {
    const [min, max] = limitBounds(setting);
    return integer({ min, max });
  };
  const { account_id, ...instrument } = fundingInstruments.fields as Record<string, Field>;
  return {
    fields: {
      account: {
        id: id().required(),
        environment: oneOf('production', 'sandbox').defaults('production'),
        ...(accounts.fields as Fields),
      },
      user: { user_id: id().required(), role: oneOf(...ROLES).required(), post_composer: boolean() },
      promotable: { user_id: id().required(), promotable_user_type: oneOf(...PROMOTABLE_USER_TYPES).required() },
      instrument: { id: id().required(), ...instrument },
      features: { features: listOf(oneOf(...FEATURES), { min: 0, max: FEATURES.length }) },
      limits: Object.fromEntries(Object.entries(ACCOUNT_LIMITS).map(([name, setting]) => [name, limit(setting)])),
    },
    read(fields, object, path, ignored = []) {
      const known = [...Object.keys(fields), ...ignored];
      const unknown = Object.keys(object).filter((name) => !known.includes(name));
      const raw = new Map(Object.entries(object).map(([name, value]) => [name, [value]] as const));
      const { input, errors } = readParameters(fields, raw);
      const unknownErrors = unknown.map(
        (name) => `${path}.${name}: unknown member; expected one of ${known.join(', ')}`,
      );
      return { values: input, errors: [...unknownErrors, ...errors.map((error) => inputError(path, error))] };
    },
  };
}

/** Formats a validation error as a sentence that begins with its path. */
export function inputError(path: string, error: ErrorDetail): string {
  const name = error.parameter ?? error.attribute;
  return `${name === undefined ? path : `${path}.${name}`}: ${wordingOf(error, 'ads').message}`;
}
