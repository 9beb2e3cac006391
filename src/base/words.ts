import { UNSPACED_SCRIPTS } from './scripts.ts';

/** How a text matches a phrase: its words in any order, consecutively, or as the only words. */
export type PhraseMatch = 'anywhere' | 'in a row' | 'alone';

const WORD_END = /[\p{L}\p{M}\p{N}_]$/u;
const WORD_START = /^[\p{L}\p{M}\p{N}_]/u;
/** Japanese marks that Unicode assigns to no single script: prolonged sound, iteration and closing marks. */
const UNSPACED = `${UNSPACED_SCRIPTS}\\u{30fc}\\u{3006}\\u{303c}\\u{3031}-\\u{3035}`;
const UNSPACED_END = new RegExp(`[${UNSPACED}]$`, 'u');
const UNSPACED_START = new RegExp(`^[${UNSPACED}]`, 'u');
const MARK_START = /^\p{M}/u;
/** Burmese and Khmer viramas, which join the next letter to the previous one. */
const VIRAMA_END = /[\u1039\u17d2]$/;

/**
 * Tests whether a folded text contains another one at word boundaries; a word is a run of letters, digits and underscores.
 * In scripts without spaces between words, each character with its marks is a word.
 * @source decision 332, 406
 */
export function containsWholeWords(text: string, words: string): boolean {
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    if (isWordBoundary(text, at) && isWordBoundary(text, at + words.length)) return true;
  }
  return false;
}

/** Whether a word may begin or end at an index. A character takes at most two code units. */
function isWordBoundary(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 2), at);
  const behind = text.slice(at, at + 2);
  if (!WORD_END.test(before) || !WORD_START.test(behind)) return true;
  if (MARK_START.test(behind) || VIRAMA_END.test(before)) return false;
  return UNSPACED_END.test(before) || UNSPACED_START.test(behind);
}

/** Whether a part of a longer word may be preceded and followed by other parts. */
export interface ExtensibleSides {
  readonly before: boolean;
  readonly behind: boolean;
}

/** Returns the sides on which a token of a phrase may extend into a longer word: not those next to another token. */
export function extensibleSides(match: PhraseMatch, at: number, tokens: number): ExtensibleSides {
  const isAnywhere = match === 'anywhere';
  if (match === 'alone') return { before: false, behind: false };
  return { before: isAnywhere || at === 0, behind: isAnywhere || at === tokens - 1 };
}

/**
 * Tests whether a token of a text is a token of a keyword, its hashtag, or a longer word that contains it: `l'eau` contains
 * `l` and `eau`. Nothing contains hashtags and handles.
 * @source decision 306, 1163
 */
export function isTokenOf(said: string, token: string, { before, behind }: ExtensibleSides): boolean {
  if (said === token) return true;
  if (isTag(token) || said.startsWith('@')) return false;
  const start = said.startsWith('#') ? 1 : 0;
  for (let at = said.indexOf(token, start); at >= 0; at = said.indexOf(token, at + 1)) {
    const end = at + token.length;
    const isAllowed = (before || at === start) && (behind || end === said.length);
    if (isAllowed && isWordBoundary(said, at) && isWordBoundary(said, end)) return true;
  }
  return false;
}

/** Whether a token is a hashtag or a handle. */
export function isTag(token: string): boolean {
  return token.startsWith('#') || token.startsWith('@');
}

const PIECES = new RegExp(`[${UNSPACED}]|[^'#${UNSPACED}]+`, 'gu');

/** Splits a word into its smallest parts. */
export function piecesOf(word: string): readonly string[] {
  return word.match(PIECES) ?? [];
}

/** Tests whether a text contains a phrase; both are lists of tokens. */
export function hasPhrase(said: readonly string[], tokens: readonly string[], match: PhraseMatch): boolean {
  if (tokens.length === 0 || (match === 'alone' && said.length !== tokens.length)) return false;
  const isAt = (token: string, at: number, text: string | undefined): boolean =>
    text !== undefined && isTokenOf(text, token, extensibleSides(match, at, tokens.length));
  if (match === 'anywhere') return tokens.every((token, at) => said.some((each) => isAt(token, at, each)));
  return said.some((_, from) => tokens.every((token, at) => isAt(token, at, said[from + at])));
}
