import { InputErrors } from '../../base/input-error.ts';
import { didYouMean } from '../../base/text.ts';
import { type AliasFile, type ForeignWords, incoming, pointerTo, type WordLists } from './alias-file.ts';
import { isProtocolName, type OwnWords } from './own-words.ts';

/** Whether names are received from callers or sent to them. */
export type Direction = 'in' | 'out';

/** The names of one operation. */
export interface Naming {
  /** The foreign word of a parameter. */
  parameter(own: string): string;
  /** All foreign words of a parameter or a member. */
  all(own: string, names: 'parameters' | 'members'): readonly string[];
  /** The foreign word of a member of a reply or an event. */
  member(own: string): string;
  /** The own word of a member. */
  ownMember(foreign: string): string;
  /** The own word of a parameter. */
  ownParameter(foreign: string): string;
  /** The foreign words of the values that a parameter or member can have; undefined when they have none. */
  values(name: string): ForeignWords | undefined;
  /** The foreign word of a value of whatever parameter; undefined when there is none, or more than one. */
  anyValue(own: string): string | undefined;
}

/** Builds the names of an operation: the general ones of the file, with the operation's overrides. */
export function createNaming(file: AliasFile, id: string): Naming {
  const lists = [file, file.operations.get(id.split('.')[0]!), file.operations.get(id)].filter((each) => !!each);
  const parameters = new Map(lists.flatMap((each) => [...each.parameters]));
  const members = new Map(lists.flatMap((each) => [...each.members]));
  const values = new Map<string, ForeignWords>();
  for (const list of lists) {
    for (const [name, of] of list.values) values.set(name, new Map([...(values.get(name) ?? []), ...of]));
  }
  const byValue = new Map<string, string | undefined>();
  for (const [own, [foreign]] of [...values.values()].flatMap((of) => [...of])) {
    byValue.set(own, !byValue.has(own) || byValue.get(own) === foreign ? foreign : undefined);
  }
  const parameter = (own: string): string => parameters.get(own)?.[0] ?? own;
  const ownParameters = incoming(parameters);
  const ownMembers = new Map([...ownParameters, ...incoming(members)]);
  return {
    parameter,
    all: (own, names) => (names === 'members' && members.get(own)) || (parameters.get(own) ?? [own]),
    member: (own) => members.get(own)?.[0] ?? parameter(own),
    ownMember: (foreign) => ownMembers.get(foreign) ?? foreign,
    ownParameter: (foreign) => ownParameters.get(foreign) ?? foreign,
    values: (name) => values.get(name),
    anyValue: (own) => byValue.get(own),
  };
}

/** Checks that each name of the file is unambiguous. @throws InputErrors @source decision 893, 1244 */
export function checkWords(file: AliasFile, own: OwnWords): void {
  const segments = { known: own.pathSegments, spellings: own.spellings.get('') };
  const problems = [
    ...check(file.pathSegments, { pointer: '/path_segments', kind: 'path segment', ...segments }),
    ...checkLists(file, own, ''),
  ];
  for (const [id, lists] of file.operations) {
    const pointer = `/operations${pointerTo(id)}`;
    if (!own.operations.has(id)) problems.push(`${pointer}: no operation has this id${didYouMean(id, own.operations)}`);
    problems.push(...checkLists(lists, own, pointer, file));
  }
  if (problems.length > 0) throw new InputErrors(problems);
}

function checkLists(lists: WordLists, own: OwnWords, pointer: string, around?: WordLists): string[] {
  const { parameters, members, values } = lists;
  const problems = [
    ...check(parameters, {
      ...{ pointer: `${pointer}/parameters`, kind: 'parameter', around: around?.parameters },
      known: new Set([...own.parameters, ...own.members]),
    }),
    ...check(
      new Map(
        [...own.members].flatMap((name) => {
          const word =
            members.get(name) ?? around?.members.get(name) ?? parameters.get(name) ?? around?.parameters.get(name);
          return word === undefined ? [] : [[name, word] as const];
        }),
      ),
      { pointer: `${pointer}/members`, kind: 'member', known: own.members },
    ),
    ...[...members.keys()]
      .filter((name) => !own.members.has(name))
      .map((name) => `${pointer}/members${pointerTo(name)}: no member has this name${didYouMean(name, own.members)}`),
  ];
  for (const [name, of] of values) {
    const at = `${pointer}/values${pointerTo(name)}`;
    const known = own.values.get(name);
    if (known) {
      const spellings = own.spellings.get(name);
      const checked = { pointer: at, kind: `value of ${name}`, known, spellings, around: around?.values.get(name) };
      problems.push(...check(of, checked));
    } else
      problems.push(
        `${at}: no parameter or member of this name has a fixed set of values${didYouMean(name, own.values.keys())}`,
      );
  }
  return problems;
}

interface Checked {
  readonly pointer: string;
  /** What the words name. */
  readonly kind: string;
  /** The own words that there are. */
  readonly known: ReadonlySet<string>;
  /** Which of them are understood as another one. */
  readonly spellings?: ReadonlyMap<string, string> | undefined;
  /** Words that hold unless these say otherwise. */
  readonly around?: ForeignWords | undefined;
}

function check(words: ForeignWords, { pointer, kind, known, spellings, around = NONE }: Checked): string[] {
  const problems: string[] = [];
  const all = new Map([...around, ...words]);
  const owners = new Map<string, string>();
  for (const [own, foreign] of all) {
    const at = `${pointer}${pointerTo(own)}`;
    const isHere = words.has(own);
    for (const word of foreign) {
      const other = owners.get(word);
      owners.set(word, own);
      if (isHere && !known.has(own))
        problems.push(`${at}: Barker has no ${kind} with this name${didYouMean(own, known)}`);
      else if (isHere && isProtocolName(own)) problems.push(`${at}: is a word of OAuth`);
      else if (other !== undefined && other !== own) problems.push(`${at}: ${word} stands for ${other} too`);
      // A word that is given away to another one is free, and one that is understood as this one means the same.
      else if (word !== own && known.has(word) && !all.has(word) && spellings?.get(word) !== own) {
        problems.push(`${at}: ${word} is another ${kind} of Barker, which has no other word in this file`);
      }
    }
  }
  return problems;
}

const NONE: ForeignWords = new Map();
