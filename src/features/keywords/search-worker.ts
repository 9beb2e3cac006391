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
import { forEachPost, type Segment, segmentOf } from './segment.ts';
import { addPost, addToken, emptyDraft } from './segment-draft.ts';
import { openSegmentFiles, type SegmentFiles } from './segment-files.ts';
import { segmentWriter } from './segment-writer.ts';
import { hashText, lastHash } from './text-hash.ts';
import { emptyParts } from './word-parts.ts';

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
  /** Memory for segments. */
  readonly memory_bytes_max: number;
}

let editionRead = '';
let dictionary: Dictionary = emptyDictionary();
let parts = emptyParts();
let files: SegmentFiles | undefined;
const samples: SampleCache = new Map();
const writer = segmentWriter();

function dictionaryFor({ edition, terms }: SearchScope): Dictionary {
  if (editionRead !== edition) {
    dictionary = emptyDictionary();
    parts = emptyParts();
    editionRead = edition;
  }
  for (const file of terms) dictionary.read(file);
  parts.extend(dictionary.size.terms, dictionary.text);
  return dictionary;
}

/** Calls `search` with the segments, including one of unindexed posts, and the terms of all of them. */
function inSegments<T>(searched: SearchScope, search: (segments: readonly Segment[], lexicon: Lexicon) => T): T {
  files ??= openSegmentFiles(searched.memory_bytes_max);
  if (searched.current) files.retain(new Set([...searched.current, ...searched.segments]));
  const { unindexed, lexicon } = prepareUnindexed(searched);
  return files.search(searched.segments, (segments) => search([...segments, ...unindexed], lexicon));
}

/** A segment of the unindexed posts, if there are any, and the terms of all. */
function prepareUnindexed(searched: SearchScope): { readonly unindexed: Segment[]; readonly lexicon: Lexicon } {
  const known = dictionaryFor(searched);
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
  const furtherParts = emptyParts();
  furtherParts.extend(further.size.terms, further.text);
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

function search({ searched, question }: { searched: SearchScope; question: KeywordQuery }): KeywordStats {
  return inSegments(searched, (segments, lexicon) => searchSegments(question, segments, lexicon, samples));
}

/** For each group of phrases, the distinct authors of posts that contain one of them, ascending. */
function findAuthors({
  searched,
  groups,
}: {
  searched: SearchScope;
  groups: readonly (readonly Phrase[])[];
}): BigUint64Array[] {
  const found = inSegments(searched, (segments, lexicon) =>
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

const calls = { search, speakers: findAuthors };

answerCalls(calls);
