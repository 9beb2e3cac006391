import { answerCalls, transferring } from '../../base/threads.ts';
import type { KeywordQuery, KeywordStats, Phrase } from '../../contract/services/keywords.ts';
import type { CorpusPost } from '../../contract/store/corpus.ts';
import { Dictionary, type TermsFile, WordParts } from './dictionary.ts';
import { withCapacity } from './growing-array.ts';
import { findPosts, type Lexicon, resolvePhrase } from './phrase-search.ts';
import type { SampleCache } from './related-terms.ts';
import { searchSegments } from './search-segments.ts';
import { forEachPost, type Segment, segmentOf } from './segment.ts';
import { SegmentDraft } from './segment-draft.ts';
import { SegmentFiles } from './segment-files.ts';
import { SegmentWriter } from './segment-writer.ts';

/** The scope of a search: segments of the index and unindexed posts. */
export interface SearchScope {
  /** The generation of the dictionary. */
  readonly edition: string;
  readonly terms: readonly TermsFile[];
  /** The paths of the segments to search. */
  readonly segments: readonly string[];
  /** The paths of other segments that may stay in memory; undefined if unchanged. */
  readonly current: readonly string[] | undefined;
  /** Posts of the same days that no segment contains. */
  readonly unindexed: readonly CorpusPost[];
  /** Memory for segments. */
  readonly memory_bytes_max: number;
}

let editionRead = '';
let dictionary = new Dictionary();
let parts = new WordParts();
let files: SegmentFiles | undefined;
const samples: SampleCache = new Map();
const writer = new SegmentWriter();

function dictionaryFor({ edition, terms }: SearchScope): Dictionary {
  if (editionRead !== edition) {
    dictionary = new Dictionary();
    parts = new WordParts();
    editionRead = edition;
  }
  for (const file of terms) dictionary.read(file);
  parts.extend(dictionary);
  return dictionary;
}

/** Calls `search` with the segments, including one of unindexed posts, and their lexicon. */
function inSegments<T>(scope: SearchScope, search: (segments: readonly Segment[], lexicon: Lexicon) => T): T {
  files ??= new SegmentFiles(scope.memory_bytes_max);
  if (scope.current) files.retain(new Set([...scope.current, ...scope.segments]));
  const { unindexed, lexicon } = prepareUnindexed(scope);
  return files.search(scope.segments, (segments) => search([...segments, ...unindexed], lexicon));
}

/** Builds a segment of the unindexed posts, if any, and a lexicon that includes their terms. */
function prepareUnindexed(scope: SearchScope): { readonly unindexed: Segment[]; readonly lexicon: Lexicon } {
  const known = dictionaryFor(scope);
  // Terms that occur only in unindexed posts have higher numbers.
  const { terms } = known.size;
  const further = new Dictionary();
  const draft = new SegmentDraft();
  for (const post of scope.unindexed) {
    draft.addPost(post, (text, from, to) => {
      const term = known.find(text, from, to);
      return term >= 0 ? term : terms + further.add(text, from, to);
    });
  }
  const size = terms + further.size.terms;
  const furtherParts = new WordParts();
  furtherParts.extend(further);
  const unindexed = draft.posts > 0 ? [segmentOf(writer.arrange(draft, size))] : [];
  const lexicon: Lexicon = {
    size,
    find(term) {
      const found = known.find(term, 0, term.length);
      if (found >= 0) return found;
      const other = further.find(term, 0, term.length);
      return other < 0 ? -1 : terms + other;
    },
    text: (term) => (term < terms ? known.text(term) : further.text(term - terms)),
    having: (word) => [...parts.having(word), ...furtherParts.having(word).map((term) => terms + term)],
  };
  return { unindexed, lexicon };
}

function search({ scope, query }: { scope: SearchScope; query: KeywordQuery }): KeywordStats {
  return inSegments(scope, (segments, lexicon) => searchSegments(query, segments, lexicon, samples));
}

/** Returns, for each group of phrases, the distinct authors of posts that contain one of them, ascending. */
function findAuthors({
  scope,
  groups,
}: {
  scope: SearchScope;
  groups: readonly (readonly Phrase[])[];
}): BigUint64Array[] {
  const found = inSegments(scope, (segments, lexicon) =>
    groups.map((group) => {
      const phrases = group.flatMap((phrase) => resolvePhrase(phrase, lexicon) ?? []);
      let users = new BigUint64Array();
      let count = 0;
      for (const segment of phrases.length === 0 ? [] : segments) {
        const authors = segment.column('users');
        users = withCapacity(users, count + segment.posts);
        forEachPost(findPosts(segment, phrases), (post) => {
          if (authors[post] !== 0n) users[count++] = authors[post]!;
        });
      }
      const sorted = users.subarray(0, count).sort();
      return sorted.filter((user, at) => at === 0 || user !== sorted[at - 1]);
    }),
  );
  return transferring(
    found,
    found.map(({ buffer }) => buffer as ArrayBuffer),
  );
}

/** The type of these calls, for the main thread. */
export type SearchCalls = typeof calls;

const calls = { search, findAuthors };

answerCalls(calls);
