import type { Input, Operation } from '../../src/contract/declare/operation.ts';
import type { Json } from '../../src/engine/describe/schemas.ts';
import { echo } from '../../src/engine/echo.ts';
import { envelope } from '../../src/engine/envelope.ts';
import { type RawParameters, readParameters } from '../../src/engine/read-parameters.ts';

/** The reply to an operation's example call, generated as the service does. */
export function exampleReply(operation: Operation): Json | undefined {
  const { example } = operation;
  if (!example) return undefined;
  const input = givenOf(operation);
  const params = echo(pathOf(operation), operation.parameters, input, receivedIn(operation));
  return JSON.parse(envelope(operation, example.answer(input), params)) as Json;
}

/** A parameter's value in an operation's example call, typed. */
export function exampleValue(operation: Operation, name: string): Json {
  const inPath = pathOf(operation)[name];
  if (inPath !== undefined) return { example: inPath };
  const value = operation.example && givenOf(operation)[name];
  return value == null ? {} : { example: JSON.parse(operation.parameters[name]!.kind.toJson(value)) };
}

function givenOf(operation: Operation): Input {
  return readParameters(operation.parameters, receivedIn(operation)).input;
}

function receivedIn({ example }: Operation): RawParameters {
  return new Map(Object.entries(example!.params).map(([name, value]) => [name, [value]]));
}

/** The path parameters of an example. */
function pathOf({ parameters, example }: Operation): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(example?.params ?? {}).filter(([name]) => !(name in parameters)));
}
