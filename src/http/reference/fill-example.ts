import { formatInstant } from '../../base/instants.ts';
import { type ExampleCall, type VariableSource, withVariables, workedExamples } from './worked-examples.ts';

/** How the variables of an example get their values. */
export interface ExampleSteps {
  readonly now_ms: number;
  /** The value of a member of `dev.json`; undefined where there is none. */
  keyOf(name: string): string | undefined;
  /** Makes a call that the example needs first; resolves with the text of the reply. @throws an error when it fails */
  call(call: ExampleCall): Promise<string>;
}

/**
 * The call of an example with real values: what it names is created first. Variables that only a command or a person can
 * set stay as they are, such as `$PIN`.
 */
export async function filledExample(id: string, steps: ExampleSteps): Promise<ExampleCall | undefined> {
  const { variables, examples } = workedExamples();
  const example = examples[id];
  if (!example) return undefined;
  const values = new Map<string, string>();
  const fill = <T>(value: T): T => withVariables(value, (name) => values.get(name) ?? `$${name}`);
  for (const name of example.variables) {
    const value = await valueFrom(variables[name]!, values, fill, steps);
    if (value !== undefined) values.set(name, value);
  }
  return fill(example.call);
}

async function valueFrom(
  source: VariableSource,
  values: ReadonlyMap<string, string>,
  fill: (call: ExampleCall) => ExampleCall,
  { now_ms, keyOf, call }: ExampleSteps,
): Promise<string | undefined> {
  if ('key' in source) return keyOf(source.key);
  if ('command' in source || 'ask' in source) return undefined;
  if ('pairs' in source) {
    return new URLSearchParams(values.get(source.pairs)).get(source.pick) ?? undefined;
  }
  if ('call' in source) {
    const text = await call(fill(source.call));
    if (source.pick === '') return text;
    return String(source.pick.split('.').reduce((inner, name) => inner?.[name], JSON.parse(text)));
  }
  const at_ms = now_ms + source.after_s * 1000;
  if (source.as === 'milliseconds') return String(at_ms);
  const time = formatInstant(at_ms);
  return source.as === 'time' ? time : time.replace(/\D/g, '').slice(0, 12);
}
