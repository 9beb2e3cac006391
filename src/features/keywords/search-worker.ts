import { answerCalls, transferring } from '../../base/threads.ts';
import { foldText, scanTokens } from '../../base/tokens.ts';
import type { KeywordQuery, KeywordStats, Phrase } from '../../contract/services/keywords.ts';
import type { CorpusPost } from '../../contract/store/corpus.ts';
import { type Dictionary, emptyDictionary, type TermsFile } from './dictionary.ts';
import { withCapacity } from './growing-array.ts';
import { findPosts, type Lexicon, resolvePhrase } from './phrase-search.ts';
import { countryNumber, languageNumber } from './post-page.ts';
import type { SampleCache } from './related-terms.ts';
import { searchSegments } from './search-segments.ts';
import { forEachPost, readSegment, type Segment, segmentOf } from './segment.ts';
import { addPost, addToken, emptyDraft } from './segment-draft.ts';
import { segmentWriter } from './segment-writer.ts';
import { hashText, lastHash } from './text-hash.ts';

/** The scope of a search: segments of the index, and posts that are not indexed. */
export interface SearchScope {
  /** The dictionary of the index. */
  readonly edition: string;
  readonly terms: readonly TermsFile[];
  /** The paths of the segments to search. */
  readonly segments: readonly string[];
  /** The paths of other segments that may stay in memory; undefined when it has not changed. */
  readonly current: readonly string[] | undefined;
  /** Posts of the same days that are in no segment. */
  readonly unindexed: readonly CorpusPost[];
  /** Memory for loaded segments. */
  readonly memory_bytes_max: number;
}

let editionRead = '';
let dictionary: Dictionary = emptyDictionary();
/** An LRU cache by file path, least recently used first. */
const loadedSegments = new Map<string, Segment>();
const samples: SampleCache = new Map();
const writer = segmentWriter();

function dictionaryFor({ edition, terms }: SearchScope): Dictionary {
  if (editionRead !== edition) {
    dictionary = emptyDictionary();
    editionRead = edition;
  }
  for (const file of terms) dictionary.read(file);
  return dictionary;
}

function segmentsFor({ segments, current, memory_bytes_max }: SearchScope): Segment[] {
  if (current) {
    const counting = new Set([...current, ...segments]);
    for (const path of loadedSegments.keys()) if (!counting.has(path)) loadedSegments.delete(path);
  }
  const found = segments.map((path) => {
    const segment = loadedSegments.get(path) ?? readSegment(path);
    loadedSegments.delete(path);
    loadedSegments.set(path, segment);
    return segment;
  });
  let bytes = 0;
  for (const segment of loadedSegments.values()) bytes += segment.bytes;
  for (const [path, segment] of loadedSegments) {
    if (bytes <= memory_bytes_max) break;
    loadedSegments.delete(path);
    bytes -= segment.bytes;
  }
  return found;
}

/** The segments, including one of unindexed posts, and the terms of all of them. */
function prepareSearch(searched: SearchScope): { readonly segments: Segment[]; readonly lexicon: Lexicon } {
  const known = dictionaryFor(searched);
  const segments = segmentsFor(searched);
  // Terms that occur only in unindexed posts have higher numbers.
  const { terms } = known.size;
  const further = emptyDictionary();
  const draft = emptyDraft();
  for (const { id, text, created_at, country, language, user_id } of searched.unindexed) {
    hashText(id);
    addPost(draft, {
      hash: lastHash.low,
      createdAt: created_at,
      country: countryNumber(country),
      language: languageNumber(language),
      user: BigInt(user_id ?? 0),
    });
    const folded = foldText(text);
    scanTokens(folded, (from, to) => {
      const term = known.find(folded, from, to);
      addToken(draft, term >= 0 ? term : terms + further.add(folded, from, to));
    });
  }
  const size = terms + further.size.terms;
  if (draft.posts > 0) {
    const { users, ...columns } = writer.arrange(draft, size);
    segments.push(segmentOf(columns, () => users));
  }
  const lexicon: Lexicon = {
    size,
    find(term) {
      const found = known.find(term, 0, term.length);
      if (found >= 0) return found;
      const other = further.find(term, 0, term.length);
      return other < 0 ? -1 : terms + other;
    },
    text: (term) => (term < terms ? known.text(term) : further.text(term - terms)),
  };
  return { segments, lexicon };
}

function search({ searched, question }: { searched: SearchScope; question: KeywordQuery }): KeywordStats {
  const { segments, lexicon } = prepareSearch(searched);
  return searchSegments(question, segments, lexicon, samples);
}

/** For each group of phrases, the distinct authors of posts that contain one of them, ascending. */
function findAuthors({
  searched,
  groups,
}: {
  searched: SearchScope;
  groups: readonly (readonly Phrase[])[];
}): BigUint64Array[] {
  const { segments, lexicon } = prepareSearch(searched);
  const found = groups.map((group) => {
    const phrases = group.flatMap((phrase) => resolvePhrase(phrase, lexicon) ?? []);
    let users = new BigUint64Array();
    let count = 0;
    for (const segment of phrases.length === 0 ? [] : segments) {
      const authors = segment.users();
      users = withCapacity(users, count + segment.posts);
      forEachPost(findPosts(segment, phrases), segment.posts, (post) => {
        if (authors[post] !== 0n) users[count++] = authors[post]!;
      });
    }
    const sorted = users.subarray(0, count).sort();
    return sorted.filter((user, at) => at === 0 || user !== sorted[at - 1]);
  });
  return transferring(
    found,
    found.map(({ buffer }) => buffer as ArrayBuffer),
  );
}

/** The type of these calls, for the main thread. */
export type SearchCalls = typeof calls;

const calls = { search, speakers: findAuthors };

answerCalls(calls);
