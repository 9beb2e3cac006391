import type { CredentialKind, Operation } from '../../src/contract/declare/operation.ts';
import {
  type ExampleCall,
  type VariableSource,
  variablesIn,
  type WorkedExample,
  type WorkedExamples,
} from '../../src/http/reference/worked-examples.ts';

/**
 * The command for this program, in a checkout and where the package is installed; elsewhere it fails instead of
 * downloading a package of that name.
 * @source decision 1051
 */
export const PROGRAM = ['npx', '--no-install', 'barker'] as const;

/** A call with the method and credential of its operation. */
export interface SnippetCall extends ExampleCall {
  readonly method: Operation['method'];
  readonly credential: CredentialKind;
}

/** A step that sets a variable before the call of the example. */
export interface SnippetStep {
  readonly name: string;
  readonly source:
    | Exclude<VariableSource, { call: ExampleCall }>
    | { readonly call: SnippetCall; readonly pick: string };
}

/** The input of snippets in every language. */
export interface SnippetPlan {
  /** Base URL of the sandbox. */
  readonly base: string;
  readonly steps: readonly SnippetStep[];
  readonly call: SnippetCall;
  /** Returns a key by its name in `dev.json`, which programs have in them; commands in a shell read that file. */
  readonly keyOf: (name: string) => string;
}

/** Builds the plan of an example. */
export function snippetPlan(
  { variables, call }: WorkedExample,
  sources: WorkedExamples['variables'],
  operationOf: (id: string) => Operation,
  base: string,
  keyOf: SnippetPlan['keyOf'] = (name) => name.toUpperCase(),
): SnippetPlan {
  const described = (each: ExampleCall): SnippetCall => {
    const { method, credential = 'user' } = operationOf(each.operation);
    return { ...each, method, credential };
  };
  const steps = variables.map((name): SnippetStep => {
    const source = sources[name]!;
    return { name, source: 'call' in source ? { ...source, call: described(source.call) } : source };
  });
  return { base, steps, call: described(call), keyOf };
}

/** Returns the steps of a plan, without the bearer token if no call of a program uses it. */
export function stepsOf(plan: SnippetPlan): readonly SnippetStep[] {
  const usesBearer = isNamed(plan, 'BEARER') || callsOf(plan).some((each) => signerOf(each) === 'bearer');
  return plan.steps.filter(({ name }) => name !== 'BEARER' || usesBearer);
}

/** Returns all calls of a plan, the one of the example last. */
export function callsOf({ steps, call }: SnippetPlan): readonly SnippetCall[] {
  return [...steps.flatMap(({ source }) => ('call' in source ? [source.call] : [])), call];
}

/** The signer of a call. */
type Signer = 'ada' | 'ben' | 'login' | 'throwaway' | 'bearer' | 'basic' | 'publisher';

/** Returns the signer of a call: a user of the demo world, a login step, other keys, or the application itself. */
export function signerOf({ credential, keys, as }: SnippetCall): Signer {
  if (credential === 'bearer' || credential === 'basic' || credential === 'publisher') return credential;
  if (keys) return keys.consumer ? 'throwaway' : 'login';
  return as === 'other' ? 'ben' : 'ada';
}

/** Whether the plan uses a variable explicitly. */
export function isNamed(plan: SnippetPlan, variable: string): boolean {
  const texts = [
    ...callsOf(plan),
    ...plan.steps.flatMap(({ source }) => ('call' in source ? [] : [source])),
    ...plan.steps.flatMap(({ source }) => ('pairs' in source ? [`$${source.pairs}`] : [])),
  ];
  return variablesIn(texts).includes(variable);
}

/** Converts a path in a reply to JavaScript: `.data[0].id` for `data.0.id`. */
export function memberPath(pick: string): string {
  return pick
    .split('.')
    .map((name) => (/^\d+$/.test(name) ? `[${name}]` : `.${name}`))
    .join('');
}
