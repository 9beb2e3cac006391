import { IDENTIFIER_BYTES, type IdentifierLookup, lookUpIdentifiers } from './identifier-file.ts';

/** A person who has an identifier. */
export interface Owner {
  /** 32 hexadecimal digits. */
  readonly identifier: string;
  /** The number of the person. */
  readonly number: number;
}

/** The owners of one identifier who are found; nobody but a mistake has more. */
const OWNERS_MAX = 10;

/** The people who have some identifiers, by binary searches in the file of an image. */
export function findOwners(folder: string, identifiers: readonly string[]): Owner[] {
  const lookup = lookUpIdentifiers(folder);
  try {
    return identifiers.flatMap((identifier) =>
      ownersOf(lookup, Buffer.from(identifier, 'hex')).map((number) => ({ identifier, number })),
    );
  } finally {
    lookup.close();
  }
}

function ownersOf(lookup: IdentifierLookup, identifier: Buffer): number[] {
  let first = 0;
  let end = lookup.entries;
  while (first < end) {
    const middle = (first + end) >>> 1;
    if (identifier.compare(lookup.entry(middle), 0, IDENTIFIER_BYTES) > 0) first = middle + 1;
    else end = middle;
  }
  const numbers: number[] = [];
  for (let at = first; at < lookup.entries && numbers.length < OWNERS_MAX; at++) {
    const entry = lookup.entry(at);
    if (identifier.compare(entry, 0, IDENTIFIER_BYTES) !== 0) break;
    numbers.push(new DataView(entry.buffer).getUint32(IDENTIFIER_BYTES, true));
  }
  return numbers;
}
