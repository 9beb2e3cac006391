/** How the server runs: `dev` on one's own machine with forgiving defaults, `serve` for real use. */
export type Mode = 'dev' | 'serve';
/** What a setting may hold. */
export type SettingValue = string | number | boolean | readonly string[];

/** What a setting accepts and what it is when not given. */
export interface SettingOptions<Value extends SettingValue> {
  /** Always accepted, also where `accept` would refuse it: an empty text or list means "not set". */
  readonly default: Value;
  readonly default_dev?: Value;
  readonly unit?: string;
  /** Least and greatest integer, both allowed. */
  readonly bounds?: readonly [least: number, greatest: number];
  readonly choices?: readonly string[];
  /** What `accept` lets through, in words that follow "expected". */
  readonly expected?: string;
  /** Never shown; may also come from the file named by `BARKER_<NAME>_FILE`. */
  readonly secret?: boolean;
  /** The one mode in which it may be given. */
  readonly onlyIn?: Mode;
  /** The mode in which it must be given. */
  readonly required?: Mode;
  /** A command that makes a good value. */
  readonly generateWith?: string;
  /** The flag, where it is not `--` and the name. */
  readonly flag?: string;
  /** The value to use (maybe in a normal form); undefined or an exception refuses it. */
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
/** A comma list; an array in a file. */
export const list: Build<readonly string[]> = (description, details) => ({ kind: 'list', description, ...details });
/** A whole number. */
export const integer: Build<number> = (description, details) => ({ kind: 'integer', description, ...details });
/** True or false. */
export const bool: Build<boolean> = (description, details) => ({ kind: 'boolean', description, ...details });
/** One word of a few. */
export function choice<const C extends readonly string[]>(
  description: string,
  choices: C,
  byDefault: C[number],
): SettingEntry<C[number]> {
  return { kind: 'choice', description, choices, default: byDefault };
}
