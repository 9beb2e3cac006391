import { secureRandom } from '../../../base/random.ts';

/** Digests of nonces. */
export interface NonceSet {
  /** @returns false when it was there already. */
  add(digest: string): boolean;
  delete(digest: string): void;
  readonly size: number;
}

/** Four words of an entry are 128 bits of its digest; the last is never 0. */
const WORDS = 4;
/** The characters of a digest, six bits each, that a word is made from. */
const CHARACTERS = 6;
const SLOTS_MIN = 16;
/** A larger share of filled slots takes longer to search. */
const FILLED_MAX = 0.7;

const VALUES = new Uint8Array(128);
for (const [value, character] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].entries()) {
  VALUES[character.charCodeAt(0)] = value;
}

/** Nobody can choose nonces that lie in each other's way. */
const [SEED_0 = 0, SEED_1 = 0] = new Int32Array(new Uint8Array(secureRandom.bytes(8)).buffer);

/** The entry that is looked for. All work here is synchronous. */
const sought = new Int32Array(WORDS);

/**
 * A set of digests from `nonceDigest`, of which it keeps 128 bits: nobody can make two that are equal in them. They are in
 * one array, by open addressing with linear probing, which takes 23 to 46 bytes each; as texts they would take 95, and
 * the garbage collector would look at each. Adding and deleting are algorithms L and R of Knuth, The Art of Computer
 * Programming, volume 3, section 6.4.
 */
export function nonceSet(): NonceSet {
  let slots = SLOTS_MIN;
  /** Leaves as many bits of a hash as number the slots. */
  let shift = 32 - Math.log2(slots);
  let table = new Int32Array(slots * WORDS);
  let size = 0;

  /** Where the search for an entry begins: the slots that follow are next. */
  const homeOf = (word0: number, word1: number): number =>
    (Math.imul(word0 ^ SEED_0, 0x9e37_79b1) ^ Math.imul(word1 ^ SEED_1, 0x85eb_ca6b)) >>> shift;

  /** Where the sought entry is, or the empty slot where it would be. */
  const find = (): number => {
    let at = homeOf(sought[0]!, sought[1]!) * WORDS;
    while (
      table[at + 3] !== 0 &&
      (table[at] !== sought[0] ||
        table[at + 1] !== sought[1] ||
        table[at + 2] !== sought[2] ||
        table[at + 3] !== sought[3])
    ) {
      at += WORDS;
      if (at === table.length) at = 0;
    }
    return at;
  };

  const grow = (): void => {
    const former = table;
    slots *= 2;
    shift -= 1;
    table = new Int32Array(slots * WORDS);
    for (let from = 0; from < former.length; from += WORDS) {
      if (former[from + 3] === 0) continue;
      sought.set(former.subarray(from, from + WORDS));
      table.set(sought, find());
    }
  };

  return {
    add(digest) {
      seek(digest);
      const at = find();
      if (table[at + 3] !== 0) return false;
      table.set(sought, at);
      size += 1;
      if (size > slots * FILLED_MAX) grow();
      return true;
    },
    delete(digest) {
      seek(digest);
      let gap = find() / WORDS;
      if (table[gap * WORDS + 3] === 0) return;
      size -= 1;
      // Entries that follow and could not be at home move up: a search ends at an empty slot.
      const last = slots - 1;
      for (let next = (gap + 1) & last; table[next * WORDS + 3] !== 0; next = (next + 1) & last) {
        const home = homeOf(table[next * WORDS]!, table[next * WORDS + 1]!);
        if (((next - home) & last) < ((next - gap) & last)) continue;
        table.copyWithin(gap * WORDS, next * WORDS, (next + 1) * WORDS);
        gap = next;
      }
      table.fill(0, gap * WORDS, (gap + 1) * WORDS);
    },
    get size() {
      return size;
    },
  };
}

function seek(digest: string): void {
  for (let word = 0; word < WORDS; word++) {
    let bits = 0;
    for (let index = word * CHARACTERS; index < (word + 1) * CHARACTERS; index++) {
      bits = (bits << 6) | VALUES[digest.charCodeAt(index)]!;
    }
    sought[word] = bits;
  }
  sought[3]! |= 1;
}
