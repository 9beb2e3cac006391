import type { Operation } from '../../contract/declare/operation.ts';
import { canBeWord } from './alias-file.ts';
import { isProtocolName, ownWordsOf } from './own-words.ts';

/** Before the sections of the template: which words they have. */
const COMMENTS: Readonly<Record<string, string>> = {
  path_segments: 'Segments of paths: /12/accounts/:account_id/campaigns.',
  parameters: 'Parameters of requests, and members of replies with the same names.',
  members: 'Members of replies and events that are no parameters.',
  values: 'Values, by the names of parameters and members.',
  header_prefixes: 'Beginnings of header names; the longest match counts.',
  hosts: 'Host names under which clients call each listener.',
};

const INTRODUCTION = `// Every word of Barker, with the word that clients use for it: change those that differ, and delete the rest.
// A list has the words of several clients: ["11", "7"]. Lines that begin with // are comments. See docs/aliases.md.
`;

/** Generates an alias file that maps every native name to itself, with comments, as a starting point. */
export function aliasTemplate(operations: readonly Operation[]): string {
  const own = ownWordsOf(operations);
  const named = (words: Iterable<string>): Readonly<Record<string, string>> =>
    themselves([...words].filter((word) => canBeWord.name(word) && !isProtocolName(word)));
  const values = [...own.values].map(
    ([name, words]) => [name, themselves([...words].filter(canBeWord.value))] as const,
  );
  const file = {
    path_segments: named(own.pathSegments),
    parameters: named(own.parameters),
    // Names of parameters hold for members too.
    members: named([...own.members].filter((name) => !own.parameters.has(name))),
    values: Object.fromEntries(
      values.filter(([name, words]) => name !== '' && Object.keys(words).length > 0).sort(byName),
    ),
    header_prefixes: { 'x-': 'x-' },
    hosts: { production: [], sandbox: [] },
  };
  const json = JSON.stringify(file, null, 2);
  return `${INTRODUCTION}${json.replace(/^ {2}"(\w+)"/gm, (line, name: string) => `  // ${COMMENTS[name]}\n${line}`)}\n`;
}

function themselves(words: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(words.map((word) => [word, word] as const).sort(byName));
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}
