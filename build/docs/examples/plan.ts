import { operations } from '../../../src/app/dependencies.ts';
import type { Operation } from '../../../src/contract/declare/operation.ts';
import {
  type ExampleCall,
  type VariableSource,
  variablesIn,
  type WorkedExamples,
} from '../../../src/http/reference/worked-examples.ts';
import { CALLS } from './calls.ts';
import { ASKED, COMMANDS, IN_PATHS, KEYS, MADE, PAIRS, TIMES } from './variables.ts';

/** An example that is still to be run. */
export interface PlannedExample {
  readonly operation: Operation;
  readonly call: ExampleCall;
  /** Variables in an order in which they can be set. */
  readonly variables: readonly string[];
}

/** Where each variable gets its value. */
export const variables: WorkedExamples['variables'] = {
  ...Object.fromEntries(Object.entries(KEYS).map(([name, key]) => [name, { key }])),
  ...TIMES,
  ...COMMANDS,
  ...PAIRS,
  ...ASKED,
  ...Object.fromEntries(
    Object.entries(MADE).map(([name, [id, pick, other = {}]]) => {
      const call = { ...callOf(operationNamed(id)), ...other };
      return [name, { call, pick }];
    }),
  ),
};

/** The examples of all operations, in catalog order. */
export function plannedExamples(): PlannedExample[] {
  return operations.map((operation) => {
    const call = callOf(operation);
    const { needs = [] } = CALLS[operation.id] ?? {};
    return { operation, call, variables: inOrder([...credentialOf(operation), ...listed(operation), ...needs], call) };
  });
}

function operationNamed(id: string): Operation {
  const found = operations.find((each) => each.id === id);
  if (!found) throw new Error(`no operation ${id}`);
  return found;
}

function callOf(operation: Operation): ExampleCall {
  const { id, group, method, example } = operation;
  const { needs, ...declared } = CALLS[id] ?? {};
  const path = operation.path.replace(/:(\w+)/g, (_, name: string) => {
    const variable = IN_PATHS[`${group}.${name}`] ?? IN_PATHS[name];
    if (variable === undefined) throw new Error(`${id}: which value has ${name}?`);
    return /^[A-Z_]+$/.test(variable) ? `$${variable}` : variable;
  });
  const own = Object.entries(example?.params ?? {}).filter(([name]) => name in operation.parameters);
  const shown = own.length > 0 && method === 'GET' ? { query: Object.fromEntries(own) } : {};
  return { operation: id, path, ...shown, ...declared };
}

/** A list has at least one row. */
function listed({ id, group }: Operation): string[] {
  if (id !== `${group}.list`) return [];
  return Object.entries(MADE).flatMap(([name, [by, , other]]) => (by === `${group}.create` && !other ? [name] : []));
}

/** Version 2 calls of an application carry its bearer token. */
function credentialOf({ credential }: Operation): string[] {
  if (credential === 'publisher') return ['PUBLISHER'];
  return credential === 'bearer' ? ['BEARER'] : [];
}

/** All variables that a call needs, and those that theirs need, each once and after what it needs. */
function inOrder(first: readonly string[], call: ExampleCall): string[] {
  const ordered = new Set<string>();
  const add = (name: string): void => {
    const source = variables[name] as VariableSource | undefined;
    if (!source) throw new Error(`${call.operation}: no variable ${name}`);
    if (ordered.has(name)) return;
    if ('pairs' in source) add(source.pairs);
    if ('ask' in source || 'command' in source) for (const each of variablesIn(source)) add(each);
    if ('call' in source) {
      const { operation } = source.call;
      const { needs = [] } = CALLS[operation] ?? {};
      const named = variablesIn(source.call);
      for (const each of [...named, ...credentialOf(operationNamed(operation)), ...needs]) add(each);
    }
    ordered.add(name);
  };
  for (const name of [...variablesIn(call.path), ...first, ...variablesIn(call)]) add(name);
  return [...ordered];
}
