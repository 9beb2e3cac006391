import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { foldText, tokensOf } from '../../src/base/tokens.ts';
import { containsWholeWords } from '../../src/base/words.ts';
import { keywordPredicate } from '../../src/features/delivery/serving/match.ts';
import { viewerOf } from '../../src/features/delivery/serving/viewer.ts';
import { Dictionary, WordParts } from '../../src/features/keywords/dictionary.ts';
import { findPosts, resolvePhrase } from '../../src/features/keywords/phrase-search.ts';
import { segmentOf } from '../../src/features/keywords/segment.ts';
import { SegmentDraft } from '../../src/features/keywords/segment-draft.ts';
import { SegmentWriter } from '../../src/features/keywords/segment-writer.ts';

/** What the index says of one post. */
function isIndexed(text: string, keyword: string): boolean {
  const dictionary = new Dictionary();
  const draft = new SegmentDraft();
  draft.startPost({ hash: 1, createdAt: 0, country: 0, language: 0, user: 0n });
  for (const token of tokensOf(text)) draft.addToken(dictionary.add(token, 0, token.length));
  const size = dictionary.size.terms;
  const parts = new WordParts();
  parts.extend(dictionary);
  const lexicon = {
    size,
    find: (term: string) => dictionary.find(term, 0, term.length),
    text: (term: number) => dictionary.text(term),
    having: (word: string) => parts.having(word),
  };
  const phrase = resolvePhrase({ match: 'in a row', text: keyword }, lexicon);
  return findPosts(segmentOf(new SegmentWriter().arrange(draft, size)), phrase ? [phrase] : [])[0] === 1;
}

const isFor = (page: string, value: string): boolean => {
  const matches = keywordPredicate({ type: 'PHRASE_KEYWORD', value } as Parameters<typeof keywordPredicate>[0])!;
  return matches(viewerOf(undefined, { words: {}, age: null, interests: [], keywords: [page] }));
};
const isFiltered = (text: string, keyword: string): boolean => containsWholeWords(foldText(text), foldText(keyword));

/** The rows of the tables of the document, with as many cells. */
const rows = (cells: number): string[][] =>
  readFileSync('docs/keywords.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    )
    .filter(({ length }) => length === cells);

describe('keywords match as documented', () => {
  const cases = [
    ...rows(3).map(([text, keyword, all]) => [text!, keyword!, all!, all!] as const),
    ...rows(4).map(([text, keyword, filters, others]) => [text!, keyword!, filters!, others!] as const),
  ];
  assert.ok(cases.length > 20);
  for (const [text, keyword, filters, others] of cases) {
    test(`${keyword} in ${text}`, () => {
      const is = { filters: filters.startsWith('yes'), others: others.startsWith('yes') };
      assert.deepEqual([isFiltered(text, keyword), 'filter'], [is.filters, 'filter']);
      assert.deepEqual([isIndexed(text, keyword), 'index'], [is.others, 'index']);
      assert.deepEqual([isFor(text, keyword), 'page'], [is.others, 'page']);
    });
  }
});
