import type { Operation } from '../../contract/declare/operation.ts';
import { successSchema } from './replies.ts';
import type { Json, NamedSchemas } from './schemas.ts';
import { spaced, type ValueWords, valueWords } from './words.ts';

/** A member of a reply, described for people. */
export interface MemberWords extends ValueWords {
  /** With the names of the objects around it: `data[].id`. */
  readonly name: string;
  readonly isNullable: boolean;
  readonly isOptional: boolean;
  readonly about: string;
}

/** The members of a reply, or of a named object in it. */
export interface ReplyTable {
  /** Undefined for the body itself. */
  readonly title: string | undefined;
  readonly members: readonly MemberWords[];
}

/** Tables of all that a successful reply can contain: the body, then each named object. Empty where there is no body. */
export function replyTables(operation: Operation): ReplyTable[] {
  if (operation.success === 204) return [];
  const named: NamedSchemas = {};
  const whole = successSchema(operation, named);
  const { request, ...others } = (whole.properties ?? {}) as Record<string, Json>;
  const isEchoed = request !== undefined && operation.family === 'ads';
  const shown = isEchoed ? { ...whole, properties: { request: ECHO, ...others } } : whole;
  const body = membersOf(shown, '');
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
  if (anyOf) return withoutRepeats(anyOf.flatMap((each) => membersOf(each, prefix)));
  if (items) return membersOf(items, `${prefix.replace(/\.$/, '')}[].`);
  return Object.entries(properties).flatMap(([name, each]) => [
    memberOf(prefix + name, each, !required.includes(name)),
    ...membersOf(each, `${prefix}${name}.`),
  ]);
}

/** Objects of several forms share members. */
function withoutRepeats(members: readonly MemberWords[]): MemberWords[] {
  return [...new Map(members.map((each) => [each.name, each])).values()];
}

function memberOf(name: string, schema: Json, isOptional: boolean): MemberWords {
  const {
    anyOf,
    type,
    description = '',
  } = schema as { anyOf?: Json[]; type?: string | string[]; description?: string };
  const isNullable = [type].flat().includes('null') || (anyOf ?? []).some((each) => each.type === 'null');
  return { name, ...valueWords(schema), isNullable, isOptional, about: description };
}
