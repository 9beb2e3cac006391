import { readFileSync } from 'node:fs';

/** Keys of an example in place of those of the demo world. Texts may name variables. */
interface ExampleKeys {
  readonly consumer?: { readonly key: string; readonly secret: string };
  readonly token: { readonly key: string; readonly secret: string };
}

/** A call of an example. Texts may name variables: `$ACCOUNT`. */
export interface ExampleCall {
  /** Id of the operation. */
  readonly operation: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** The second user of the demo world signs; the first one by default. */
  readonly as?: 'other';
  /** The application of the demo world that may read messages; the other one by default. */
  readonly app?: 'messages';
  /** Keys in place of those of the demo world; without a token when its text is empty. */
  readonly keys?: ExampleKeys;
  /** Further protocol parameters, for the steps of a login. */
  readonly protocol?: Readonly<Record<string, string>>;
}

/**
 * Where a variable gets its value: from the reply to a call (`pick` is a path in it: `data.0.id`; empty for the whole
 * text), from what a command prints, from a `name=value` pair in another variable, from a member of `dev.json`, from the
 * clock (so many seconds after the present moment, as UTC text, as `yyyymmddhhmm`, or as milliseconds since 1970), or from
 * the reader.
 */
export type VariableSource =
  | { readonly call: ExampleCall; readonly pick: string }
  | { readonly command: readonly string[] }
  | { readonly pairs: string; readonly pick: string }
  | { readonly key: string }
  | { readonly after_s: number; readonly as: 'time' | 'minute' | 'milliseconds' }
  | { readonly ask: string };

/** A recorded example of an operation. */
export interface WorkedExample {
  /** Variables of the call and those they depend on, in the order in which to set them. */
  readonly variables: readonly string[];
  readonly call: ExampleCall;
  readonly status: number;
  /** The body: JSON or text, with long lists shortened. */
  readonly reply: unknown;
  /** Whether lists of the reply were shortened. */
  readonly isShortened?: true;
}

/** All examples: written by `npm run generate`. */
export interface WorkedExamples {
  readonly variables: Readonly<Record<string, VariableSource>>;
  /** By the id of their operation. */
  readonly examples: Readonly<Record<string, WorkedExample>>;
}

/** Names of members of `dev.json`. */
interface KeyNames {
  readonly consumer: readonly [key: string, secret: string];
  readonly token: readonly [key: string, secret: string];
}

/** Returns the members of `dev.json` with the keys of a call. */
export function keyNames({ app, as }: ExampleCall): KeyNames {
  const application = app === 'messages' ? 'messages_' : '';
  const user = `${application}${as === 'other' ? 'other_' : ''}`;
  return {
    consumer: [`${application}consumer_key`, `${application}consumer_secret`],
    token: [`${user}access_token`, `${user}access_token_secret`],
  };
}

let loaded: WorkedExamples | undefined;

/** Returns the examples, read from their file on first use. */
export function workedExamples(): WorkedExamples {
  loaded ??= JSON.parse(
    readFileSync(new URL('./generated/worked-examples.json', import.meta.url), 'utf8'),
  ) as WorkedExamples;
  return loaded;
}

/** Returns the JSON reply of the example of an operation; undefined for text. */
export function recordedReply(id: string): unknown {
  const reply = workedExamples().examples[id]?.reply;
  return typeof reply === 'string' ? undefined : reply;
}

const VARIABLE = /\$([A-Z][A-Z_]*)/g;

/** Splits a text into literal pieces and names of variables. */
export function piecesOf(text: string): readonly (string | { readonly variable: string })[] {
  return text.split(VARIABLE).map((piece, index) => (index % 2 === 1 ? { variable: piece } : piece));
}

/** Lists the variables in a value. */
export function variablesIn(value: unknown): readonly string[] {
  return [...new Set([...JSON.stringify(value ?? null).matchAll(VARIABLE)].map(([, name]) => name!))];
}

/** Replaces the variables in a value. */
export function withVariables<T>(value: T, textOf: (name: string) => string): T {
  if (typeof value === 'string') return value.replace(VARIABLE, (_, name: string) => textOf(name)) as T;
  if (Array.isArray(value)) return value.map((each: unknown) => withVariables(each, textOf)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withVariables(each, textOf)])) as T;
}
