import type { EstimateCriterion } from '../../ads/audience-estimate/parse-criteria.ts';

/** Whether keywords of a page match a criterion about keywords. @source decision 977 */
export type KeywordPredicate = (keywords: readonly string[]) => boolean;

/** The predicate of a criterion of a keyword type; undefined for other types. */
export function keywordPredicate({ type, value }: EstimateCriterion): KeywordPredicate | undefined {
  const phrase = value.toLowerCase();
  const words = wordsOf(phrase);
  switch (type) {
    case 'EXACT_KEYWORD':
      return (keywords) => keywords.some((keyword) => wordsOf(keyword).join(' ') === words.join(' '));
    case 'PHRASE_KEYWORD':
      return (keywords) =>
        keywords.some((keyword) => ` ${wordsOf(keyword).join(' ')} `.includes(` ${words.join(' ')} `));
    case 'BROAD_KEYWORD':
    case 'UNORDERED_KEYWORD':
      return (keywords) => {
        const known = new Set(keywords.flatMap(wordsOf));
        return words.every((word) => known.has(word));
      };
    default:
      return undefined;
  }
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];
}
