/**
 * Tokens of posts and keywords for search. Words are runs of letters, marks and digits, with apostrophes inside; in
 * scripts without spaces between words, a dictionary finds them. Hashtags and handles keep their sign, to distinguish
 * them from words. Emoji and flags are tokens too; URLs are not.
 * @source UAX 29
 */
import { UNSPACED_SCRIPTS } from './scripts.ts';
import { foldCase } from './text.ts';

const WORD = 1;
/** A letter or mark: digits alone are no hashtag. */
const LETTER = 2;
/** In a script without spaces between words. */
const UNSPACED = 4;
const PICTURE = 8;
const SPACE = 16;
/** A regional indicator: half of a flag. */
const REGIONAL = 32;
/** Takes two UTF-16 code units. */
const ASTRAL = 64;

const HASH = 0x23;
const AMPERSAND = 0x26;
const APOSTROPHE = 0x27;
const AT = 0x40;
const UNDERSCORE = 0x5f;

const TESTS: readonly (readonly [flags: number, pattern: RegExp])[] = [
  [WORD | LETTER, /[\p{L}\p{M}]/u],
  [WORD, /\p{N}/u],
  [UNSPACED, new RegExp(`[${UNSPACED_SCRIPTS}]`, 'u')],
  [PICTURE, /\p{Extended_Pictographic}/u],
  [SPACE, /\s/],
  [REGIONAL, /\p{Regional_Indicator}/u],
];

function flagsOf(codePoint: number): number {
  const character = String.fromCodePoint(codePoint);
  const found = TESTS.reduce((flags, [flag, pattern]) => (pattern.test(character) ? flags | flag : flags), 0);
  return codePoint > 0xffff ? found | ASTRAL : found;
}

/** Cached flags by code point; bit 128 marks cached entries. */
const known = new Uint8Array(0x11_0000);

function flagsAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  const codePoint = unit >= 0xd800 && unit < 0xdc00 ? text.codePointAt(at)! : unit;
  const flags = known[codePoint]!;
  if (flags & 128) return flags & 127;
  const found = flagsOf(codePoint);
  known[codePoint] = found | 128;
  return found;
}

/**
 * Folds a text for tokenizing and comparing: compatibility-composed, case-folded, with one kind of i and of apostrophe.
 * When this or `scanTokens` changes, so does `ANALYSER` of `src/features/keywords/manifest.ts`.
 */
export function foldText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII only needs lower-casing
  if (/^[\u0000-\u007f]*$/.test(text)) return text.toLowerCase();
  // Turkish has an i with a dot and one without, and a capital of each.
  return foldCase(text)
    .replace(/i\u0307+/g, 'i')
    .normalize('NFKC')
    .replaceAll('\u2019', "'");
}

/** Receives the start and end of a token. */
type TokenSeen = (from: number, to: number) => void;

/** Reports the tokens of a folded text, in order. */
export function scanTokens(text: string, seen: TokenSeen): void {
  const { length } = text;
  let wordEnd = -1;
  for (let at = 0; at < length; ) {
    const unit = text.charCodeAt(at);
    const flags = flagsAt(text, at);
    if (flags & WORD) {
      if ((unit === 0x68 || unit === 0x77) && beginsAddress(text, at)) at = addressEnd(text, at);
      else at = wordEnd = scanWord(text, at, seen);
    } else if ((unit === HASH || unit === AT) && at !== wordEnd && isAlone(text, at)) {
      const end = tagEnd(text, at + 1, unit === HASH);
      if (end > at + 1) {
        seen(at, end);
        wordEnd = end;
        at = end;
      } else at += 1;
    } else if (flags & PICTURE) {
      const end = at + widthOf(flags);
      seen(at, end);
      at = end;
    } else if (flags & REGIONAL) {
      const isFlag = at + 4 <= length && (flagsAt(text, at + 2) & REGIONAL) !== 0;
      if (isFlag) seen(at, at + 4);
      at += isFlag ? 4 : 2;
    } else at += widthOf(flags);
  }
}

function widthOf(flags: number): number {
  return flags & ASTRAL ? 2 : 1;
}

/** A sign directly after another one, as in `##` and `&#39;`, starts no tag. */
function isAlone(text: string, at: number): boolean {
  if (at === 0) return true;
  const before = text.charCodeAt(at - 1);
  return before !== AMPERSAND && before !== HASH && before !== AT && before !== UNDERSCORE;
}

/** The end of the name after a sign; `from` when there is none. */
function tagEnd(text: string, from: number, needsLetter: boolean): number {
  let at = from;
  let seen = 0;
  while (at < text.length) {
    const flags = flagsAt(text, at);
    if (!(flags & WORD) && text.charCodeAt(at) !== UNDERSCORE) break;
    seen |= flags;
    at += widthOf(flags);
  }
  return seen & (needsLetter ? LETTER : WORD) ? at : from;
}

/** Reports the words in a run of letters and digits; returns its end. */
function scanWord(text: string, from: number, seen: TokenSeen): number {
  let at = from;
  let flags = 0;
  let last = 0;
  while (at < text.length) {
    const next = flagsAt(text, at);
    if (next & WORD) {
      at += widthOf(next);
      last = next;
    } else if (
      text.charCodeAt(at) === APOSTROPHE &&
      last & LETTER &&
      at + 1 < text.length &&
      flagsAt(text, at + 1) & LETTER
    ) {
      at += 1;
    } else break;
    flags |= next;
  }
  if (flags & UNSPACED) {
    for (const [start, end] of wordsWithin(text.slice(from, at))) seen(from + start, from + end);
  } else seen(from, at);
  return at;
}

let segmenter: Intl.Segmenter | undefined;

/** Finds the words in a run without spaces. */
export function wordsWithin(run: string): (readonly [from: number, to: number])[] {
  // Created on first use: it loads dictionaries.
  segmenter ??= new Intl.Segmenter('und', { granularity: 'word' });
  const found: (readonly [number, number])[] = [];
  for (const { segment, index, isWordLike } of segmenter.segment(run)) {
    if (isWordLike) found.push([index, index + segment.length]);
  }
  return found;
}

function beginsAddress(text: string, at: number): boolean {
  return text.startsWith('http://', at) || text.startsWith('https://', at) || text.startsWith('www.', at);
}

function addressEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && !(flagsAt(text, at) & SPACE)) at += 1;
  return at;
}

/** Returns the tokens of a text, in order. */
export function tokensOf(text: string): string[] {
  const folded = foldText(text);
  const tokens: string[] = [];
  scanTokens(folded, (from, to) => void tokens.push(folded.slice(from, to)));
  return tokens;
}
