import { InputErrors } from '../../base/input-error.ts';
import { type Schema, Type } from '../../base/json-schema.ts';
import { isObject } from '../../base/objects.ts';

/**
 * Foreign names by Barker's native ones: all are accepted, and the first is sent. The names at one place of all lists are
 * those of one client.
 * @source decision 1243
 */
export type ForeignWords = ReadonlyMap<string, readonly [string, ...string[]]>;

/** Returns the first foreign name of each native one. */
export function outgoing(words: ForeignWords): ReadonlyMap<string, string> {
  return new Map([...words].map(([own, [first]]) => [own, first]));
}

/** Returns the native names by the foreign ones. */
export function incoming(words: ForeignWords): ReadonlyMap<string, string> {
  return new Map([...words].flatMap(([own, foreign]) => foreign.map((each) => [each, own])));
}

/** Returns the places of foreign names in their lists; those that stand alone, or at several places, tell no client. */
export function placesOf(words: readonly ForeignWords[]): ReadonlyMap<string, number> {
  const lists = words.flatMap((each) => [...each.values()]).filter(({ length }) => length > 1);
  return new Map(
    lists.flatMap((list) =>
      [...list.entries()].flatMap(([at, name]) => (list.lastIndexOf(name) === list.indexOf(name) ? [[name, at]] : [])),
    ),
  );
}

/** Foreign names of parameters, of reply members, and of the values of either by their name. */
export interface WordLists {
  readonly parameters: ForeignWords;
  readonly members: ForeignWords;
  readonly values: ReadonlyMap<string, ForeignWords>;
}

/** The contents of an alias file. */
export interface AliasFile extends WordLists {
  readonly pathSegments: ForeignWords;
  readonly headerPrefixes: ReadonlyMap<string, string>;
  readonly hosts: { readonly production: readonly string[]; readonly sandbox: readonly string[] };
  /** Overrides by operation id, or by the part of the id before the dot. */
  readonly operations: ReadonlyMap<string, WordLists>;
}

/** Names and path segments: what needs no escaping in a path, a query or JSON. */
const NAME = { pattern: '^[A-Za-z0-9_.~-]+$', expected: 'letters, digits and _ . ~ -' };
/** Values also stand in comma-separated lists. */
const VALUE = { pattern: '^[!#-+\\--\\[\\]-~]+$', expected: 'visible ASCII characters other than " \\ and commas' };
const PREFIX = { pattern: '^x-([a-z0-9]+-)*$', expected: 'x- and lower-case words that each end with -' };
const HOST = { pattern: '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?$', expected: 'a host name in lower case' };

/** The accepted spelling of a name. */
interface Spelling {
  readonly pattern: string;
  /** In words that follow "expected". */
  readonly expected: string;
}

const words = ({ pattern }: Spelling, description: string): Schema => {
  const word = Type.String({ pattern });
  const several = Type.Array(word, {
    minItems: 1,
    description: 'All are understood. Those at one place of all lists are of one client.',
  });
  return { type: 'object', description, additionalProperties: Type.Union([word, several]) };
};

const values: Schema = {
  type: 'object',
  description: 'By the name of a parameter or member, as Barker calls it: values, by the values of Barker.',
  additionalProperties: words(VALUE, 'Values, by the values of Barker.'),
};

const LISTS = {
  parameters: words(NAME, 'Names of parameters, by the names of Barker; also of members that `members` does not name.'),
  members: words(NAME, 'Names of members of replies and events, by the names of Barker.'),
  values,
};

const hostNames = Type.Array(Type.String({ pattern: HOST.pattern }));

/** JSON Schema of alias files, for editors. */
export const aliasFileSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Alias file',
  description: 'The words of another interface for what Barker serves.',
  type: 'object',
  properties: {
    $schema: Type.String(),
    path_segments: words(NAME, 'Segments of paths, by the segments of Barker.'),
    ...LISTS,
    header_prefixes: {
      type: 'object',
      description: 'How names of headers begin, by how those of Barker begin.',
      additionalProperties: Type.String({ pattern: PREFIX.pattern }),
    },
    hosts: {
      type: 'object',
      description: 'Host names under which the interface is called.',
      properties: { production: hostNames, sandbox: hostNames },
      additionalProperties: false,
    },
    operations: {
      type: 'object',
      description:
        'Words of single operations, by their id, or of several, by what stands before the dot in their ids.',
      additionalProperties: { type: 'object', properties: LISTS, additionalProperties: false },
    },
  },
  additionalProperties: false,
};

/** Whether words can stand in a file: as names, or as values. */
export const canBeWord = {
  name: (word: string): boolean => new RegExp(NAME.pattern).test(word),
  value: (word: string): boolean => new RegExp(VALUE.pattern).test(word),
};

/** Returns the file of the client at one place: its names come first. */
export function fileOfPlace(file: AliasFile, at: number): AliasFile {
  const first = (words: ForeignWords): ForeignWords =>
    new Map([...words].map(([own, all]) => [own, [all[at] ?? all[0], ...all]]));
  const lists = ({ parameters, members, values }: WordLists): WordLists => ({
    parameters: first(parameters),
    members: first(members),
    values: new Map([...values].map(([name, of]) => [name, first(of)])),
  });
  return {
    ...{ ...file, ...lists(file), pathSegments: first(file.pathSegments) },
    operations: new Map([...file.operations].map(([id, of]) => [id, lists(of)])),
  };
}

type Members = Readonly<Record<string, unknown>>;

/** Reads parts of an alias file, and collects their errors. */
interface Reader {
  readonly problems: string[];
  /** The members of an object; none when the part is missing or is something else. */
  object(part: unknown, pointer: string): Members;
  words(part: unknown, pointer: string, spelling: Spelling): ForeignWords;
  hosts(part: unknown, pointer: string): readonly string[];
}

/** No text of JSON goes on in another line, so it contains none of these. */
const COMMENT_LINE = /^[ \t]*\/\/.*$/gm;

/** Parses an alias file, JSON with lines of comments. @throws InputErrors, a JSON pointer and a reason each */
export function parseAliasFile(text: string): AliasFile {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text.replace(COMMENT_LINE, ''));
  } catch (error) {
    throw new InputErrors([`/: is not JSON: ${(error as Error).message}`]);
  }
  const reader = openReader();
  const file = reader.object(parsed, '');
  refuseUnknown(reader, file, '', Object.keys(aliasFileSchema.properties as Members));
  const hosts = reader.object(file.hosts, '/hosts');
  refuseUnknown(reader, hosts, '/hosts', ['production', 'sandbox']);
  const operations = Object.entries(reader.object(file.operations, '/operations')).map(([id, part]) => {
    const pointer = `/operations${pointerTo(id)}`;
    const lists = reader.object(part, pointer);
    refuseUnknown(reader, lists, pointer, Object.keys(LISTS));
    return [id, listsOf(reader, lists, pointer)] as const;
  });
  const found: AliasFile = {
    ...listsOf(reader, file, ''),
    pathSegments: reader.words(file.path_segments, '/path_segments', NAME),
    headerPrefixes: outgoing(reader.words(file.header_prefixes, '/header_prefixes', PREFIX)),
    hosts: {
      production: reader.hosts(hosts.production, '/hosts/production'),
      sandbox: reader.hosts(hosts.sandbox, '/hosts/sandbox'),
    },
    operations: new Map(operations),
  };
  if (reader.problems.length > 0) throw new InputErrors(reader.problems);
  return found;
}

/** The JSON pointer to a member of the target. @source RFC 6901 3 */
export function pointerTo(...names: readonly string[]): string {
  return names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function openReader(): Reader {
  const problems: string[] = [];
  const matches = (word: unknown, { pattern }: Spelling): word is string =>
    typeof word === 'string' && new RegExp(pattern).test(word);
  const object: Reader['object'] = (part, pointer) => {
    if (part === undefined) return {};
    if (isObject(part)) return part;
    problems.push(`${pointer || '/'}: is not an object`);
    return {};
  };
  return {
    problems,
    object,
    words(part, pointer, spelling) {
      const found = new Map<string, readonly [string, ...string[]]>();
      for (const [own, foreign] of Object.entries(object(part, pointer))) {
        // A header has one name.
        const isList = Array.isArray(foreign) && spelling !== PREFIX;
        const [first, ...further] = isList ? foreign : [foreign];
        const isFitting = [first, ...further].every((each) => matches(each, spelling));
        if (isFitting) found.set(own, [first, ...further] as [string, ...string[]]);
        else problems.push(`${pointer}${pointerTo(own)}: expected ${spelling.expected}`);
      }
      return found;
    },
    hosts(part, pointer) {
      if (part === undefined) return [];
      if (!Array.isArray(part)) {
        problems.push(`${pointer}: is not a list`);
        return [];
      }
      part.forEach((host, at) => {
        if (!matches(host, HOST)) problems.push(`${pointer}/${at}: expected ${HOST.expected}`);
      });
      return part as string[];
    },
  };
}

function listsOf(reader: Reader, part: Members, pointer: string): WordLists {
  const byName = Object.entries(reader.object(part.values, `${pointer}/values`)).map(
    ([name, list]) => [name, reader.words(list, `${pointer}/values${pointerTo(name)}`, VALUE)] as const,
  );
  return {
    parameters: reader.words(part.parameters, `${pointer}/parameters`, NAME),
    members: reader.words(part.members, `${pointer}/members`, NAME),
    values: new Map(byName),
  };
}

function refuseUnknown({ problems }: Reader, part: Members, pointer: string, known: readonly string[]): void {
  for (const name of Object.keys(part)) {
    if (!known.includes(name)) problems.push(`${pointer}${pointerTo(name)}: is not one of ${known.join(', ')}`);
  }
}
