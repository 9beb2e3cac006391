import { foldText, wordsWithin } from '../../src/base/tokens.ts';

/** One alternative after the other, at each place: an address, a hashtag, a handle, a word, a flag, a picture. */
const TOKEN = new RegExp(
  [
    '(?<address>(?:https?:\\/\\/|www\\.)\\S*)',
    '(?<![\\p{L}\\p{M}\\p{N}_&#@])#(?=[\\p{N}_]*[\\p{L}\\p{M}])[\\p{L}\\p{M}\\p{N}_]+',
    '(?<![\\p{L}\\p{M}\\p{N}_&#@])@(?=_*[\\p{L}\\p{M}\\p{N}])[\\p{L}\\p{M}\\p{N}_]+',
    "(?<word>[\\p{L}\\p{M}\\p{N}](?:[\\p{L}\\p{M}\\p{N}]|(?<=[\\p{L}\\p{M}])'(?=[\\p{L}\\p{M}]))*)",
    '\\p{Regional_Indicator}{2}',
    '\\p{Extended_Pictographic}',
  ].join('|'),
  'gu',
);
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** The tokens of a text by one expression: slow, and easy to hold against what tokens are said to be. */
export function plainTokens(text: string): string[] {
  const tokens: string[] = [];
  for (const { 0: found, groups } of foldText(text).matchAll(TOKEN)) {
    if (groups!.address !== undefined) continue;
    if (groups!.word !== undefined && UNSPACED.test(found)) {
      for (const [from, to] of wordsWithin(found)) tokens.push(found.slice(from, to));
    } else tokens.push(found);
  }
  return tokens;
}
