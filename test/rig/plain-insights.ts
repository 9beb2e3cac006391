import { hasPhrase, isTokenOf } from '../../src/base/words.ts';
import type { CorpusPost } from '../../src/contract/store/corpus.ts';
import { stopWords } from '../../src/features/keywords/stop-words.ts';
import { plainTokens } from './plain-tokens.ts';

/** A question as a caller asks it, times in whole seconds since 1970. */
export interface PlainQuestion {
  readonly keywords: readonly string[];
  readonly negatives: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly bucket_s: number;
  readonly country: string | undefined;
}

const known = new Map<string, readonly string[]>();

function tokensIn(text: string): readonly string[] {
  const found = known.get(text) ?? plainTokens(text);
  known.set(text, found);
  return found;
}

/** Whether a text says a keyword: its tokens in a row. */
function plainlySays(text: string, keyword: string): boolean {
  return hasPhrase(tokensIn(text), tokensIn(keyword), 'in a row');
}

/** The posts that are meant, one after the other looked at. */
function plainlyMeant(posts: readonly CorpusPost[], question: PlainQuestion): CorpusPost[] {
  const { keywords, negatives, from, to, country } = question;
  return posts.filter(
    (post) =>
      post.created_at >= from &&
      post.created_at < to &&
      (country === undefined || post.country === country) &&
      keywords.some((keyword) => plainlySays(post.text, keyword)) &&
      !negatives.some((keyword) => plainlySays(post.text, keyword)),
  );
}

/** How many posts are meant, bucket by bucket. */
export function plainVolume(posts: readonly CorpusPost[], question: PlainQuestion): number[] {
  const volume: number[] = [];
  const meant = plainlyMeant(posts, question);
  for (let from = question.from; from < question.to; from += question.bucket_s) {
    const to = Math.min(from + question.bucket_s, question.to);
    volume.push(meant.filter(({ created_at }) => created_at >= from && created_at < to).length);
  }
  return volume;
}

const HOUR_S = 3600;

/**
 * Terms that posts with keywords say at least twice as often as all posts of the same hours and country, by the
 * log-likelihood ratio, where neither are so many that samples would do.
 */
export function plainRelated(posts: readonly CorpusPost[], question: PlainQuestion, max: number): string[] {
  const texts = plainlyMeant(posts, question).map(({ text, language }) => ({ tokens: tokensIn(text), language }));
  const inside = [...new Map(texts.map((each) => [each.tokens.join('\n'), each])).values()];
  const from = Math.floor(question.from / HOUR_S) * HOUR_S;
  const to = Math.ceil(question.to / HOUR_S) * HOUR_S;
  const all = posts.filter(
    ({ created_at, country }) =>
      created_at >= from && created_at < to && (question.country === undefined || country === question.country),
  );
  const ofInside = countsOf(inside.map(({ tokens }) => tokens));
  const ofAll = countsOf(all.map(({ text }) => tokensIn(text)));
  const input = [...question.keywords, ...question.negatives].flatMap(plainTokens);
  const spoken = [...Map.groupBy(inside, ({ language }) => language)].filter(
    ([, own]) => own.length >= inside.length * 0.05,
  );
  const stops = spoken.flatMap(([language]) => stopWords(language === 'und' ? undefined : language));
  const scored = [...ofInside].flatMap(([term, a]) => {
    const b = ofAll.get(term) ?? 0;
    if (a < 2 || a * all.length < 2 * b * inside.length) return [];
    const score = plainRatio(a, inside.length, b, all.length);
    const isTerm = !term.startsWith('@') && !/^#?[\p{N}_]+$/u.test(term) && isLong(term);
    if (
      score < 6.63 ||
      !isTerm ||
      input.some((token) => isTokenOf(term, token, { before: true, behind: true })) ||
      stops.some((words) => words.has(term))
    )
      return [];
    return [{ term, isFew: a < 3, score }];
  });
  scored.sort((a, b) => Number(a.isFew) - Number(b.isFew) || b.score - a.score || (a.term < b.term ? -1 : 1));
  return scored.slice(0, max).map(({ term }) => term);
}

function isLong(term: string): boolean {
  return /^\p{Script=Han}$/u.test(term) || (term.match(/[\p{L}\p{M}\p{N}_]/gu) ?? []).length > 1;
}

function countsOf(texts: readonly (readonly string[])[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const tokens of texts) for (const token of new Set(tokens)) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}

/** Twice the sum of each count times the logarithm of how it compares with what is expected. */
function plainRatio(a: number, all: number, b: number, others: number): number {
  const share = (a + b) / (all + others);
  const cells: [seen: number, expected: number][] = [
    [a, all * share],
    [b, others * share],
    [all - a, all * (1 - share)],
    [others - b, others * (1 - share)],
  ];
  return 2 * cells.reduce((sum, [seen, expected]) => sum + (seen === 0 ? 0 : seen * Math.log(seen / expected)), 0);
}
