import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { writeSections } from '../../src/base/columns-file.ts';
import type { KeywordQuery, KeywordStats } from '../../src/contract/services/keywords.ts';
import type { CorpusPost } from '../../src/contract/store/corpus.ts';
import { samplePosts } from '../../src/dev/samples/sample-posts.ts';
import { Dictionary } from '../../src/features/keywords/dictionary.ts';
import type { Lexicon } from '../../src/features/keywords/phrase-search.ts';
import { searchSegments } from '../../src/features/keywords/search-segments.ts';
import { segmentOf } from '../../src/features/keywords/segment.ts';
import { SegmentDraft } from '../../src/features/keywords/segment-draft.ts';
import { SegmentFiles } from '../../src/features/keywords/segment-files.ts';
import { type SegmentColumns, SegmentWriter } from '../../src/features/keywords/segment-writer.ts';

const DAY_S = 86_400;
const END = Date.parse('2026-03-02T17:00:00Z') / 1000;
/** So many that neither those that match nor all are counted whole. */
const POSTS = 120_000;

/** Segments of some posts, as many as there are lists of them. */
function segmentsWith(lists: readonly (readonly CorpusPost[])[]): {
  readonly columns: readonly SegmentColumns[];
  readonly lexicon: Lexicon;
} {
  const dictionary = new Dictionary();
  const writer = new SegmentWriter();
  const drafts = lists.map((posts) => {
    const draft = new SegmentDraft();
    for (const post of posts) draft.addPost(post, (text, from, to) => dictionary.add(text, from, to));
    return draft;
  });
  const lexicon = {
    size: dictionary.size.terms,
    find: (term: string) => dictionary.find(term, 0, term.length),
    text: (term: number) => dictionary.text(term),
    having: () => [],
  };
  return { columns: drafts.map((draft) => writer.arrange(draft, dictionary.size.terms)), lexicon };
}

function question(...keywords: readonly string[]): KeywordQuery {
  return {
    environment: 'sandbox' as const,
    keywords,
    negatives: [],
    from: END - 2 * DAY_S,
    to: END,
    bucket_s: DAY_S,
    country: undefined,
    related_max: 30,
  };
}

/** Answers over segments of some posts. */
function answering(lists: readonly (readonly CorpusPost[])[]): (...keywords: readonly string[]) => KeywordStats {
  const { columns, lexicon } = segmentsWith(lists);
  const segments = columns.map(segmentOf);
  return (...keywords) => searchSegments(question(...keywords), segments, lexicon, new Map());
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

  test('are the same, however little of the segments may stay in memory', () => {
    const folder = mkdtempSync(join(tmpdir(), 'barker-test-'));
    const piles = [0, 1, 2].map((pile) => posts.filter((_, index) => index % 3 === pile));
    const { columns, lexicon } = segmentsWith(piles);
    const paths = columns.map((each, at) => {
      const path = join(folder, String(at));
      writeSections(path, { ...each });
      return path;
    });
    const bytes = paths.reduce((sum, path) => sum + statSync(path).size, 0);
    const asked = [
      question('coffee', 'today'),
      question('love day', 'day love', 'morning people', 'people morning', 'time week', 'week time'),
      { ...question('coffee', 'beans'), country: 'US', from: END - DAY_S - 1234, negatives: ['today'] },
    ];
    const expected = asked.map((each) => searchSegments(each, columns.map(segmentOf), lexicon, new Map()));
    assert.ok(
      expected.every(({ volume, related }) => Math.max(...volume) > 10 && related.length > 2),
      JSON.stringify(expected),
    );
    for (const share of [0.01, 0.1, 0.3, 0.5, 0.7, 1.1]) {
      const files = new SegmentFiles(Math.ceil(bytes * share));
      for (const round of [1, 2]) {
        for (const [at, each] of asked.entries()) {
          const found = files.search(paths, (segments) => searchSegments(each, segments, lexicon, new Map()));
          assert.deepEqual(found, expected[at], `${share} of the index, round ${round}`);
        }
      }
    }
    rmSync(folder, { recursive: true });
  });
});

describe('two words in a row', () => {
  const OTHERS = ['rain', 'train', 'wind', 'paint', 'shoes'];
  /** Answers about posts with these texts, and many others. */
  function relatedTo(keyword: string, texts: readonly string[]): readonly string[] {
    const others = Array.from({ length: 400 }, (_, at) => `${OTHERS[at % 5]} ${OTHERS[(at * 7 + 1) % 5]} n${at}x`);
    const posts = [...texts, ...others].map((text, at) => ({
      ...{ id: `p${at}`, text, created_at: END - 3600, country: null, language: 'en', user_id: null },
    }));
    return answering([posts])(keyword).related;
  }
  const times = (count: number, text: string, from = 0) =>
    Array.from({ length: count }, (_, at) => `${text} u${from + at}q`);

  test('are one term when they mostly occur together, in the place of the rarer one', () => {
    const related = relatedTo('coffee', [
      ...times(8, 'coffee cold brew'),
      ...times(6, 'coffee cold milk', 10),
      ...times(6, 'coffee cold water', 20),
      ...times(7, 'coffee warm milk', 30),
      ...times(8, 'coffee warm water', 40),
      ...times(5, 'coffee our milk', 50),
    ]);
    assert.ok(related.includes('cold brew'), related.join());
    assert.ok(!related.includes('brew'));
    assert.ok(related.includes('cold'), 'which mostly occurs without the other');
    assert.ok(!related.includes('warm milk'), 'of which each mostly occurs with others');
  });

  test('need three posts, and at least half of those with the rarer word', () => {
    assert.ok(relatedTo('coffee', times(3, 'coffee cold brew')).includes('cold brew'));
    assert.ok(!relatedTo('coffee', times(2, 'coffee cold brew')).includes('cold brew'));
    const half = [...times(4, 'coffee cold brew'), ...times(4, 'coffee brew warm cold', 10)];
    assert.ok(relatedTo('coffee', half).includes('cold brew'));
    assert.ok(!relatedTo('coffee', [...half, ...times(1, 'coffee brew cold', 20)]).includes('cold brew'));
  });

  test('never contain a keyword, a stop word, a hashtag or a number', () => {
    const related = relatedTo('coffee', [
      ...times(9, 'iced coffee'),
      ...times(9, 'the barista coffee', 10),
      ...times(9, 'coffee 2026 #latte grinder', 20),
    ]);
    assert.deepEqual(
      related.filter((term) => term.includes(' ')),
      [],
    );
    for (const word of ['iced', 'barista', '#latte', 'grinder']) assert.ok(related.includes(word), word);
  });

  test('are words that stand between spaces', () => {
    const related = relatedTo('coffee', [
      ...times(9, 'coffee \u5496\u5561 \u751f\u6d3b'),
      ...times(9, 'coffee ni\u00f1o feliz', 10),
    ]);
    assert.ok(related.includes('ni\u00f1o feliz'));
    assert.deepEqual(
      related.filter((term) => term.includes(' ')),
      ['ni\u00f1o feliz'],
    );
  });
});
