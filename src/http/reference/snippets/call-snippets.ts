import type { Operation } from '../../../contract/declare/operation.ts';
import type { ExampleCall } from '../worked-examples.ts';
import { nodeSnippet } from './node.ts';
import { pythonSnippet } from './python.ts';
import { shellSnippet } from './shell.ts';

const LANGUAGES = [
  ['curl', shellSnippet],
  ['Node.js', nodeSnippet],
  ['Python', pythonSnippet],
] as const;

/** Stands for a dollar sign that begins no variable. */
const DOLLAR = '\ue000';

/** A call with its own keys, in each language. */
export function callSnippets(
  call: ExampleCall,
  { method, credential = 'user' }: Operation,
  base: string,
): readonly (readonly [language: string, code: string])[] {
  const literal = JSON.parse(JSON.stringify(call).replaceAll('$', DOLLAR)) as ExampleCall;
  const plan = { base, steps: [], call: { ...literal, method, credential }, keyOf: String };
  return LANGUAGES.map(([label, snippetOf]) => [label, snippetOf(plan).replaceAll(DOLLAR, '$')]);
}
