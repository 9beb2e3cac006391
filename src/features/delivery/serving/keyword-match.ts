import { tokensOf } from '../../../base/tokens.ts';
import { hasPhrase, type PhraseMatch } from '../../../base/words.ts';
import type { EstimateCriterion } from '../../ads/audience-estimate/parse-criteria.ts';

/** Whether keywords of a page match a criterion about keywords. @source decision 977 */
export type KeywordPredicate = (keywords: readonly string[]) => boolean;

const MATCHES: Readonly<Record<string, PhraseMatch>> = {
  EXACT_KEYWORD: 'alone',
  PHRASE_KEYWORD: 'in a row',
  BROAD_KEYWORD: 'anywhere',
  UNORDERED_KEYWORD: 'anywhere',
};

/** The predicate of a criterion of a keyword type; undefined for other types. */
export function keywordPredicate({ type, value }: EstimateCriterion): KeywordPredicate | undefined {
  const match = MATCHES[type];
  const phrase = match ? tokensOf(value) : [];
  if (match === 'anywhere') return (keywords) => hasPhrase(keywords.flatMap(tokensOf), phrase, match);
  return match && ((keywords) => keywords.some((keyword) => hasPhrase(tokensOf(keyword), phrase, match)));
}
