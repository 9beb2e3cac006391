import { readFileSync } from 'node:fs';
import type { Operation } from '../../contract/declare/operation.ts';
import type { Json, NamedSchemas } from '../../engine/describe/schemas.ts';

/** The schemas of the input and replies of an operation. */
export interface OperationSchemas {
  /** By name: path parameters, other parameters, files. */
  readonly parameters: Json;
  /** Of a JSON body that is more than parameters. */
  readonly body?: Json | undefined;
  readonly replies: readonly Json[];
}

/** Protocol parameters are the words of another standard: they have no other names. @source RFC 5849 3.1 */
export const isProtocolName = (name: string): boolean => name.startsWith('oauth_');

/** The schemas of all calls, as `npm run build` writes them. @source decision 1231 */
export interface OwnSchemas {
  /** By the id of their operation. */
  readonly calls: Readonly<Record<string, OperationSchemas>>;
  /** Of replies where no operation answers. */
  readonly unrouted: readonly Json[];
  /** Those to which the others refer, by name. */
  readonly named: NamedSchemas;
}

let loaded: OwnSchemas | undefined;

/** Reads the schemas once. */
export function ownSchemas(): OwnSchemas {
  loaded ??= JSON.parse(readFileSync(new URL('../../../built/schemas.json', import.meta.url), 'utf8')) as OwnSchemas;
  return loaded;
}

/** The schemas behind references and between alternatives. */
export function flattened(schemas: readonly unknown[], named: NamedSchemas): Json[] {
  return schemas.flatMap((schema) => {
    if (typeof schema !== 'object' || schema === null) return [];
    const { $ref, anyOf, oneOf, allOf, ...own } = schema as Json & { readonly $ref?: string };
    const others = flattened(
      [anyOf, oneOf, allOf].flatMap((each) => (each as unknown[] | undefined) ?? []),
      named,
    );
    if ($ref !== undefined) return flattened([named[$ref.slice($ref.lastIndexOf('/') + 1)]], named);
    return anyOf || oneOf || allOf ? [...(own.properties ? [own] : []), ...others] : [own];
  });
}

/** Returns the string literals that a schema allows. */
export function literalsOf({ const: only, enum: several = [] }: Json): string[] {
  return [only, ...(several as unknown[])].filter((each) => typeof each === 'string');
}

/** The member of a reply that repeats the request. */
export const ECHO = 'request';

/** All native names of the catalog that can have foreign ones. */
export interface OwnWords {
  readonly pathSegments: ReadonlySet<string>;
  readonly parameters: ReadonlySet<string>;
  readonly members: ReadonlySet<string>;
  /** By the name of their parameters or members. */
  readonly values: ReadonlyMap<string, ReadonlySet<string>>;
  /** Names of parameters or members that are any text in some place. */
  readonly freeNames: ReadonlySet<string>;
  /** Words that are understood as another one, by the name of their parameters or members; path segments by ''. */
  readonly spellings: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** The ids of operations, and what stands before their dots. */
  readonly operations: ReadonlySet<string>;
}

/** Segments of the pages to which clients send users. */
const PAGE_SEGMENTS = ['authorize', 'authenticate', 'problems'];

/** What challenges of webhooks have, in their query and in the answer. */
const CHALLENGE = { parameters: ['crc_token', 'nonce'], members: ['response_token'] };

/** Members of the payloads of events, of which the catalog says nothing more than that they are objects. */
const PAYLOAD = [
  ...['before', 'after', 'user', 'users', 'username', 'data', 'id', 'name', 'type', 'text', 'verified', 'protected'],
  ...['direct_message_events', 'message_create', 'message_data', 'created_timestamp', 'sender_id', 'recipient_id'],
  ...['direct_message_indicate_typing_events', 'direct_message_mark_read_events', 'last_read_event_id', 'target'],
  ...['entities', 'hashtags', 'symbols', 'urls', 'user_mentions', 'indices', 'screen_name', 'id_str', 'url'],
  ...['expanded_url', 'display_url', 'broadcast_id', 'event_type'],
];

/** Collects the native names of operations. */
export function ownWordsOf(operations: readonly Operation[]): OwnWords {
  const { calls, unrouted, named } = ownSchemas();
  const pathSegments = new Set(PAGE_SEGMENTS);
  const parameters = new Set(['params', ...CHALLENGE.parameters]);
  const members = new Set([...CHALLENGE.members, ...PAYLOAD]);
  const values = new Map<string, Set<string>>();
  const freeNames = new Set<string>();
  const seen = new Map<Set<string>, WeakSet<Json>>([
    [parameters, new WeakSet()],
    [members, new WeakSet()],
  ]);
  const collect = (schemas: readonly unknown[], name: string, names: Set<string>): void => {
    for (const schema of flattened(schemas, named)) {
      const literals = literalsOf(schema);
      const known = values.get(name) ?? new Set();
      for (const literal of literals) values.set(name, known.add(literal));
      if (literals.length === 0 && [schema.type].flat().includes('string')) freeNames.add(name);
      if (seen.get(names)!.has(schema)) continue;
      seen.get(names)!.add(schema);
      for (const [member, of] of Object.entries((schema.properties as Json | undefined) ?? {})) {
        if (isProtocolName(member)) continue;
        names.add(member);
        // The echo of a request has the words of its parameters.
        if (member !== ECHO || names !== members) collect([of], member, names);
      }
      const {
        patternProperties = {},
        prefixItems = [],
        items,
        additionalProperties,
      } = schema as Json & {
        readonly patternProperties?: Json;
        readonly prefixItems?: readonly unknown[];
      };
      collect([items, ...prefixItems], name, names);
      collect([additionalProperties, ...Object.values(patternProperties)], '', names);
    }
  };
  const spellings = new Map<string, Map<string, string>>();
  const spell = (name: string, word: string, own: string): void => {
    spellings.set(name, (spellings.get(name) ?? new Map()).set(word, own));
  };
  for (const operation of operations) {
    const ownSegments = operation.path.split('/');
    for (const alias of operation.aliases ?? []) {
      for (const [at, segment] of alias.split('/').entries()) {
        if (segment !== ownSegments[at]) spell('', segment, ownSegments[at]!);
      }
    }
    for (const [name, words] of Object.entries(operation.spellings ?? {})) {
      for (const [word, own] of Object.entries(words)) spell(name, word, own);
    }
    for (const path of [operation.path, ...(operation.aliases ?? [])]) {
      for (const segment of path.split('/')) if (segment !== '' && !segment.startsWith(':')) pathSegments.add(segment);
    }
    const schemas = calls[operation.id]!;
    collect([{ properties: schemas.parameters }, schemas.body], '', parameters);
    collect(schemas.replies, '', members);
  }
  collect(unrouted, '', members);
  const ids = operations.flatMap(({ id }) => [id, id.split('.')[0]!]);
  return { pathSegments, parameters, members, values, freeNames, spellings, operations: new Set(ids) };
}
