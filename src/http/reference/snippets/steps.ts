import type { CredentialKind, Operation } from '../../../contract/declare/operation.ts';
import {
  type ExampleCall,
  type VariableSource,
  variablesIn,
  type WorkedExample,
  type WorkedExamples,
} from '../worked-examples.ts';

/**
 * The command for this program, in a checkout and where the package is installed; elsewhere it fails instead of downloading a
 * package of that name. @source decision 1051
 */
export const PROGRAM = ['npx', '--no-install', 'barker'] as const;

/** A call with what its operation says about it. */
export interface SnippetCall extends ExampleCall {
  readonly method: Operation['method'];
  readonly credential: CredentialKind;
}

/** What sets a variable, before the call of the example. */
export interface SnippetStep {
  readonly name: string;
  readonly source:
    | Exclude<VariableSource, { call: ExampleCall }>
    | { readonly call: SnippetCall; readonly pick: string };
}

/** An example as snippets in every language need it. */
export interface SnippetPlan {
  /** Base URL of the sandbox. */
  readonly base: string;
  readonly steps: readonly SnippetStep[];
  readonly call: SnippetCall;
}

/** The plan of an example. */
export function snippetPlan(
  { variables, call }: WorkedExample,
  sources: WorkedExamples['variables'],
  operationOf: (id: string) => Operation,
  base: string,
): SnippetPlan {
  const described = (each: ExampleCall): SnippetCall => {
    const { method, credential = 'user' } = operationOf(each.operation);
    return { ...each, method, credential };
  };
  const steps = variables.map((name): SnippetStep => {
    const source = sources[name]!;
    return { name, source: 'call' in source ? { ...source, call: described(source.call) } : source };
  });
  return { base, steps, call: described(call) };
}

/** All calls of a plan, the one of the example last. */
export function callsOf({ steps, call }: SnippetPlan): readonly SnippetCall[] {
  return [...steps.flatMap(({ source }) => ('call' in source ? [source.call] : [])), call];
}

/** Who signs a call. */
type Signer = 'ada' | 'ben' | 'login' | 'throwaway' | 'bearer' | 'basic' | 'publisher';

/** Who signs a call: a user of the demo world, a step of a login, other keys, or the application itself. */
export function signerOf({ credential, keys, as }: SnippetCall): Signer {
  if (credential === 'bearer' || credential === 'basic' || credential === 'publisher') return credential;
  if (keys) return keys.consumer ? 'throwaway' : 'login';
  return as === 'other' ? 'ben' : 'ada';
}

/** Names of members of `dev.json`. */
interface KeyNames {
  readonly consumer: readonly [key: string, secret: string];
  readonly token: readonly [key: string, secret: string];
}

/** Where `dev.json` has the keys of a call. */
export function keyNames({ app, as }: ExampleCall): KeyNames {
  const application = app === 'messages' ? 'messages_' : '';
  const user = `${application}${as === 'other' ? 'other_' : ''}`;
  return {
    consumer: [`${application}consumer_key`, `${application}consumer_secret`],
    token: [`${user}access_token`, `${user}access_token_secret`],
  };
}

/** Whether a call must be made by hand where a tool gets bearer tokens by itself. */
export function isNamed(plan: SnippetPlan, variable: string): boolean {
  const texts = [
    ...callsOf(plan),
    ...plan.steps.flatMap(({ source }) => ('call' in source ? [] : [source])),
    ...plan.steps.flatMap(({ source }) => ('pairs' in source ? [`$${source.pairs}`] : [])),
  ];
  return variablesIn(texts).includes(variable);
}

/** A path in a reply as JavaScript: `.data[0].id` for `data.0.id`. */
export function memberPath(pick: string): string {
  return pick
    .split('.')
    .map((name) => (/^\d+$/.test(name) ? `[${name}]` : `.${name}`))
    .join('');
}
