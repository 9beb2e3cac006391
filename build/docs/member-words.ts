import type { Operation } from '../../src/contract/declare/operation.ts';
import type { Json, NamedSchemas } from '../../src/engine/describe/schemas.ts';
import { hasJsonBody, refName, spaced, type ValueWords, valueWords } from '../../src/engine/describe/words.ts';
import { requestBody } from '../openapi/inputs.ts';
import { successSchema } from '../openapi/replies.ts';

/** A member of a body, described for people. */
export interface MemberWords extends ValueWords {
  /** With the names of the objects around it: `data[].id`. */
  readonly name: string;
  readonly isNullable: boolean;
  readonly isOptional: boolean;
  readonly about: string;
}

/** The members of a body, or of a named object in it. */
export interface MemberTable {
  /** Undefined for the body itself. */
  readonly title: string | undefined;
  readonly members: readonly MemberWords[];
}

/** Tables of the members of a successful reply: the body, then each named object. Empty without a body. */
export function replyTables(operation: Operation): MemberTable[] {
  if (operation.success === 204) return [];
  const named: NamedSchemas = {};
  const whole = successSchema(operation, named);
  const { request, ...others } = (whole.properties ?? {}) as Record<string, Json>;
  const isEchoed = request !== undefined && operation.family === 'ads';
  return tablesOf(isEchoed ? { ...whole, properties: { request: ECHO, ...others } } : whole, named);
}

/** Tables of the members of a JSON body: the body, then each named object. Empty without a JSON body. */
export function bodyTables(operation: Operation): MemberTable[] {
  if (!hasJsonBody(operation)) return [];
  const named: NamedSchemas = {};
  const { content } = requestBody(operation, named) as { content: Record<string, { schema: Json }> };
  const { schema } = content['application/json']!;
  if (typeof schema.$ref !== 'string') return tablesOf(schema, named);
  const { [refName(schema.$ref)]: body, ...others } = named;
  return tablesOf(body!, others);
}

/** The limits of a list body, phrased to follow `in JSON`. */
export function itemsWords({ shape, body }: Operation): string {
  if (shape === 'batch') return '; an item needs what the single call needs, and all are done, or none';
  return body === 'bytes' ? '; all items are taken, or none' : '';
}

function tablesOf(whole: Json, named: NamedSchemas): MemberTable[] {
  const body = membersOf(whole, '');
  const tables = Object.entries(named).map(([name, schema]) => ({
    title: spaced(name),
    members: membersOf(schema, ''),
  }));
  return [...(body.length > 0 ? [{ title: undefined, members: body }] : []), ...tables.reverse()];
}

const ECHO: Json = { type: 'object', description: 'The parameters of the request, as they were read.' };

/** The members of an object, those of objects within it after them. */
function membersOf(schema: Json, prefix: string): MemberWords[] {
  const {
    properties = {},
    required = [],
    anyOf,
    items,
    $ref,
  } = schema as {
    properties?: Record<string, Json>;
    required?: string[];
    anyOf?: Json[];
    items?: Json;
    $ref?: string;
  };
  // The body itself is a named object.
  if ($ref && prefix === '') return [memberOf('', schema, false)];
  if (anyOf) return ofAllForms(anyOf.map((each) => membersOf(each, prefix)));
  if (items) return membersOf(items, `${prefix.replace(/\.$/, '')}[].`);
  return Object.entries(properties).flatMap(([name, each]) => [
    memberOf(prefix + name, each, !required.includes(name)),
    ...membersOf(each, `${prefix}${name}.`),
  ]);
}

/** Merges the members of alternative forms; those missing in some forms become optional. */
function ofAllForms(forms: readonly (readonly MemberWords[])[]): MemberWords[] {
  const filled = forms.filter((members) => members.length > 0).map((members) => Map.groupBy(members, nameOf));
  return [...Map.groupBy(forms.flat(), nameOf)].map(([name, alike]) => {
    const parent = name.replace(/(?:\[\])*\.[^.]*$/, '');
    const around = filled.filter((members) => parent === name || members.has(parent)).length || filled.length;
    return {
      ...alike.at(-1)!,
      isOptional: alike.length < around || alike.some(({ isOptional }) => isOptional),
      choices: [...new Set(alike.flatMap(({ choices }) => choices))],
    };
  });
}

const nameOf = ({ name }: MemberWords): string => name;

function memberOf(name: string, schema: Json, isOptional: boolean): MemberWords {
  const {
    anyOf,
    type,
    description = '',
  } = schema as { anyOf?: Json[]; type?: string | string[]; description?: string };
  const isNullable = [type].flat().includes('null') || (anyOf ?? []).some((each) => each.type === 'null');
  return { name, ...valueWords(schema), isNullable, isOptional, about: description };
}
