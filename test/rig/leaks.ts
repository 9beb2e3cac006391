import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A line of a log that holds a secret; the secret itself is not told. */
export interface Leak {
  readonly kind: string;
  readonly file: string;
  readonly line: number;
}

/** What a search came to. */
export interface Search {
  readonly leaks: readonly Leak[];
  /** How many secrets were looked for. */
  readonly secrets: number;
  /** How many bytes of logs were searched. */
  readonly bytes: number;
}

interface Secret {
  readonly kind: string;
  readonly value: string;
  /** The process that knows it; one that may look like any number is looked for in its logs alone. */
  readonly process: string;
}

/** Shorter ones are not unique. */
const UNIQUE = 12;

/** Looks through the collected logs for every secret that the tests came to know. */
export function findLeaks(folder: string): Search {
  const names = readdirSync(folder);
  const secrets = names.filter((name) => name.endsWith('.secrets')).flatMap((name) => secretsIn(folder, name));
  const byWord = new Map<string, Secret[]>();
  for (const secret of secrets) {
    const word = longestWord(secret.value);
    const known = byWord.get(word);
    if (known) known.push(secret);
    else byWord.set(word, [secret]);
  }
  const leaks: Leak[] = [];
  let bytes = 0;
  for (const name of names.filter((each) => each.endsWith('.log'))) {
    const text = readFileSync(join(folder, name), 'utf8');
    bytes += text.length;
    leaks.push(...leaksIn(text, name, byWord));
  }
  return { leaks, secrets: secrets.length, bytes };
}

function secretsIn(folder: string, name: string): Secret[] {
  const lines = readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean);
  const process = name.split('.')[0]!;
  return lines.flatMap((line) => {
    const [kind, value] = JSON.parse(line) as [string, string];
    // A secret is as bad in another spelling.
    const spellings = new Set([value, decoded(value), encodeURIComponent(value), JSON.stringify(value).slice(1, -1)]);
    return [...spellings].map((each) => ({ kind, value: each, process }));
  });
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** The words of a log are looked up; only where the longest word of a secret stands, the whole of it is looked for. */
function leaksIn(text: string, file: string, byWord: ReadonlyMap<string, readonly Secret[]>): Leak[] {
  const found: Leak[] = [];
  const own = file.split('.')[0];
  for (const [index, line] of text.split('\n').entries()) {
    const kinds = new Set<string>();
    for (const [word] of line.matchAll(WORDS)) {
      for (const { kind, value, process } of byWord.get(word) ?? []) {
        const searched = kind.startsWith('password') ? line.replace(OWN_NAME, '') : line;
        if ((value.length >= UNIQUE || process === own) && searched.includes(value)) kinds.add(kind);
      }
    }
    for (const kind of kinds) found.push({ kind, file, line: index + 1 });
  }
  return found;
}

/** A password that is sent as the caller's own name of a request is such a name. */
const OWN_NAME = /"request_id":"[^"]*",?/;

const WORDS = /[A-Za-z0-9]+/g;

function longestWord(value: string): string {
  const words = value.match(WORDS) ?? [value];
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest));
}
