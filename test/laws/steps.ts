import { fc } from '../rig/laws.ts';
import type { Who } from './callers.ts';
import { type Input, type JsonValue, type Ref, some, type Value } from './values.ts';

/** One call. */
export interface CallStep {
  readonly who: Who;
  readonly method: string;
  readonly path: readonly (string | Ref)[];
  readonly params?: Readonly<Record<string, Value>> | undefined;
  readonly json?: JsonValue;
}

/** A step of a program: a call, a list walked from page to page, a stream of what was lately, or time that passes. */
export type Step =
  | CallStep
  | { readonly walk: CallStep }
  | { readonly stream: StreamStep }
  | { readonly wait_s: number };

/** The window of a stream: seconds before now. */
export interface StreamStep {
  readonly from_s: number;
  readonly until_s: number;
}

/** Where a call goes. */
export type Path = fc.Arbitrary<readonly (string | Ref)[]>;

/** A kind of calls, of which programs make many. */
export interface Kind {
  /** Who makes it; mostly Ada when nothing is said. */
  readonly who?: fc.Arbitrary<Who>;
  readonly method: string;
  readonly path: Path;
  readonly params?: fc.Arbitrary<Record<string, Value>>;
  readonly json?: fc.Arbitrary<JsonValue>;
}

/** Calls that read; `required` is given more often. */
export const get = (path: Path, input: Input = {}, required: string[] = []): Kind => ({
  method: 'GET',
  path,
  params: some(input, required),
});
/** Calls that make something. */
export const post = (path: Path, input: Input = {}, required: string[] = []): Kind => ({
  ...get(path, input, required),
  method: 'POST',
});
/** Calls that change something. */
export const put = (path: Path, input: Input = {}): Kind => ({ ...get(path, input), method: 'PUT' });
/** Calls that delete something. */
export const remove = (path: Path, input: Input = {}): Kind => ({ ...get(path, input), method: 'DELETE' });

const anybody: fc.Arbitrary<Who> = fc.oneof(
  { weight: 40, arbitrary: fc.constant('ada' as const) },
  { weight: 1, arbitrary: fc.constant('ben' as const) },
  { weight: 1, arbitrary: fc.constant('production' as const) },
);

/** Calls of a kind. */
export function callOf({ who = anybody, method, path, params, json }: Kind): fc.Arbitrary<CallStep> {
  const parts = { who, method: fc.constant(method), path };
  return json ? fc.record({ ...parts, json }) : fc.record({ ...parts, params: params ?? fc.constant({}) });
}
