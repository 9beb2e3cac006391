import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { foldText, scanTokens } from '../../src/base/tokens.ts';
import type { KeywordStats } from '../../src/contract/services/keywords.ts';
import type { CorpusPost } from '../../src/contract/store/corpus.ts';
import { samplePosts } from '../../src/dev/samples/sample-posts.ts';
import { emptyDictionary } from '../../src/features/keywords/dictionary.ts';
import { countryNumber, languageNumber } from '../../src/features/keywords/post-page.ts';
import { searchSegments } from '../../src/features/keywords/search-segments.ts';
import { segmentOf } from '../../src/features/keywords/segment.ts';
import { addPost, addToken, emptyDraft } from '../../src/features/keywords/segment-draft.ts';
import { segmentWriter } from '../../src/features/keywords/segment-writer.ts';
import { hashText, lastHash } from '../../src/features/keywords/text-hash.ts';

const DAY_S = 86_400;
const END = Date.parse('2026-03-02T17:00:00Z') / 1000;
/** So many that neither those that match nor all are counted whole. */
const POSTS = 120_000;

/** Answers over segments of some posts, as many as there are lists of them. */
function answering(lists: readonly (readonly CorpusPost[])[]): (...keywords: readonly string[]) => KeywordStats {
  const dictionary = emptyDictionary();
  const writer = segmentWriter();
  const drafts = lists.map((posts) => {
    const draft = emptyDraft();
    for (const { id, text, created_at, country, language } of posts) {
      hashText(id);
      const facts = { country: countryNumber(country), language: languageNumber(language), user: 0n };
      addPost(draft, { hash: lastHash.low, createdAt: created_at, ...facts });
      const folded = foldText(text);
      scanTokens(folded, (from, to) => addToken(draft, dictionary.add(folded, from, to)));
    }
    return draft;
  });
  const segments = drafts.map((draft) => {
    const { users, ...columns } = writer.arrange(draft, dictionary.size.terms);
    return segmentOf(columns, () => users);
  });
  const lexicon = {
    size: dictionary.size.terms,
    find: (term: string) => dictionary.find(term, 0, term.length),
    text: (term: number) => dictionary.text(term),
  };
  const question = {
    environment: 'sandbox' as const,
    negatives: [],
    from: END - 2 * DAY_S,
    to: END,
    bucket_s: DAY_S,
    country: undefined,
    related_max: 30,
  };
  return (...keywords) => searchSegments({ ...question, keywords }, segments, lexicon, new Map());
}

describe('samples of many posts', () => {
  const made = samplePosts({ seed: 5, count: POSTS, days: 2, end: END, people: 0 });
  const posts = Array.from({ length: POSTS }, (_, number) => made(number));
  const whole = answering([posts]);

  test('are the same, however posts are stored', () => {
    const keywords = ['today', 'hoy', 'coffee'];
    const expected = whole(...keywords);
    assert.ok(expected.volume.reduce((sum, each) => sum + each, 0) > 10_000, 'more than are read');
    assert.equal(expected.related.length, 30);
    const piles = [2, 0, 1].map((pile) => posts.filter((_, index) => index % 3 === pile).reverse());
    assert.deepEqual(answering(piles)(...keywords), expected);
  });

  test('have the terms of a topic', () => {
    const { related } = whole('espresso');
    for (const word of ['coffee', 'latte', 'barista', 'beans', '#coffeetime']) assert.ok(related.includes(word), word);
    assert.ok(!related.some((term) => ['goal', 'recipe', 'movie', 'the', 'espresso', '#espresso'].includes(term)));
  });
});
