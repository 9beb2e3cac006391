/** How the server runs: `dev` on a developer's machine with permissive defaults, `serve` in production. */
export type Mode = 'dev' | 'serve';
/** The value of a setting. */
export type SettingValue = string | number | boolean | readonly string[];

/** The constraints and the default of a setting. */
export interface SettingOptions<Value extends SettingValue> {
  /** Always accepted, even if `parse` would refuse it: an empty text or list means "not set". */
  readonly default: Value;
  readonly default_dev?: Value;
  readonly unit?: string;
  /** The smallest and largest integer, both inclusive. */
  readonly bounds?: readonly [least: number, greatest: number];
  readonly choices?: readonly string[];
  /** Describes what `parse` accepts, to follow "expected". */
  readonly expected?: string;
  /** Never displayed; may also come from the file that `BARKER_<NAME>_FILE` names. */
  readonly secret?: boolean;
  /** The only mode in which it may be set. */
  readonly onlyIn?: Mode;
  /** The mode in which it must be set. */
  readonly required?: Mode;
  /** A command that generates a suitable value. */
  readonly generateWith?: string;
  /** Its flag exists only for commands whose help shows it; elsewhere the flag may mean something else. */
  readonly isOfServer?: boolean;
  /** The flag, if it differs from `--` and the name. */
  readonly flag?: string;
  /** Returns the value to use, possibly normalized; undefined or an exception refuses it. */
  parse?(value: Value): Value | undefined;
}

/** One setting of the table. */
export interface SettingEntry<Value extends SettingValue = SettingValue> extends SettingOptions<Value> {
  readonly kind: 'text' | 'list' | 'integer' | 'boolean' | 'choice';
  readonly description: string;
}

type Build<Value extends SettingValue> = (why: string, details: SettingOptions<Value>) => SettingEntry<Value>;
/** A text. */
export const text: Build<string> = (description, details) => ({ kind: 'text', description, ...details });
/** A comma-separated list; an array in a file. */
export const list: Build<readonly string[]> = (description, details) => ({ kind: 'list', description, ...details });
/** A whole number. */
export const integer: Build<number> = (description, details) => ({ kind: 'integer', description, ...details });
/** A whole number of a unit, with its smallest and largest value. */
export function amount(
  description: string,
  byDefault: number,
  unit: string,
  bounds: readonly [least: number, greatest: number],
  details: Partial<SettingOptions<number>> = {},
): SettingEntry<number> {
  return { kind: 'integer', description, default: byDefault, unit, bounds, ...details };
}
/** True or false. */
export const bool: Build<boolean> = (description, details) => ({ kind: 'boolean', description, ...details });
/** One of several words. */
export function choice<const C extends readonly string[]>(
  description: string,
  choices: C,
  byDefault: C[number],
  byDefaultInDev: C[number] = byDefault,
): SettingEntry<C[number]> {
  const inDev = byDefaultInDev === byDefault ? {} : { default_dev: byDefaultInDev };
  return { kind: 'choice', description, choices, default: byDefault, ...inDev };
}
