/**
 * Scripts without spaces between words, for a character class of a regular expression with the `u` flag: Han, both kana,
 * Thai, Lao, Khmer and Burmese.
 */
export const UNSPACED_SCRIPTS =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
