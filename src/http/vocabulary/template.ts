import type { Operation } from '../../contract/declare/operation.ts';
import { canBeWord } from './alias-file.ts';
import { isProtocolName, ownWordsOf } from './own-words.ts';

/** Generates an alias file that maps every native name to itself, as a starting point. */
export function aliasTemplate(operations: readonly Operation[]): string {
  const own = ownWordsOf(operations, {});
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
    hosts: { production: [], sandbox: [] },
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

function themselves(words: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(words.map((word) => [word, word] as const).sort(byName));
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}
