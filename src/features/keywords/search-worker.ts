import { join } from 'node:path';
import { answerCalls, transferring } from '../../base/threads.ts';
import { foldText, scanTokens } from '../../base/tokens.ts';
import type { Environment } from '../../contract/declare/resource.ts';
import type { KeywordQuery, KeywordStats, Phrase } from '../../contract/services/keywords.ts';
import type { CorpusPost } from '../../contract/store/corpus.ts';
import { type Dictionary, emptyDictionary } from './dictionary.ts';
import { grown } from './growing-array.ts';
import type { Manifest } from './manifest.ts';
import { knownPhrase, type Lexicon, postsSaying } from './phrase-search.ts';
import { countryNumber, languageNumber } from './post-page.ts';
import type { Remembered } from './related-terms.ts';
import { searchSegments } from './search-segments.ts';
import { forEachPost, readSegment, type Segment, segmentOf } from './segment.ts';
import { addPost, addToken, emptyDraft } from './segment-draft.ts';
import { segmentWriter } from './segment-writer.ts';
import { hashOf, lastHash } from './text-hash.ts';

/** What is searched: segments of an index, and posts that are in none. */
export interface Searched {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly environment: Environment;
  /** The first day, and the one after the last. */
  readonly days: readonly [from: number, to: number];
  /** Posts of these days that no segment has. */
  readonly loose: readonly CorpusPost[];
  /** Segments stay in memory while they take no more. */
  readonly memory_bytes_max: number;
}

let edition = '';
let dictionary: Dictionary = emptyDictionary();
/** By the paths of their files, the least recently used first. */
const kept = new Map<string, Segment>();
const remembered: Remembered = new Map();
const writer = segmentWriter();

function dictionaryFor({ folder, manifest }: Searched): Dictionary {
  if (edition !== manifest.edition) {
    dictionary = emptyDictionary();
    edition = manifest.edition;
  }
  if (dictionary.size.terms < manifest.terms) dictionary.read(join(folder, manifest.edition), manifest);
  return dictionary;
}

function segmentsFor({ folder, manifest, environment, days: [from, to], memory_bytes_max }: Searched): Segment[] {
  const pathOf = (name: string): string => join(folder, manifest.edition, name);
  const counting = new Set(manifest.segments.map(({ name }) => pathOf(name)));
  for (const path of kept.keys()) if (!counting.has(path)) kept.delete(path);
  const found = manifest.segments
    .filter(({ scope, day }) => (scope === 'both' || scope === environment) && day >= from && day < to)
    .map(({ name }) => {
      const path = pathOf(name);
      const segment = kept.get(path) ?? readSegment(path);
      kept.delete(path);
      kept.set(path, segment);
      return segment;
    });
  let bytes = 0;
  for (const segment of kept.values()) bytes += segment.bytes;
  for (const [path, segment] of kept) {
    if (bytes <= memory_bytes_max) break;
    kept.delete(path);
    bytes -= segment.bytes;
  }
  return found;
}

/** The segments, one of loose posts among them, and the terms of them all. */
function prepared(searched: Searched): { readonly segments: Segment[]; readonly lexicon: Lexicon } {
  const known = dictionaryFor(searched);
  const segments = segmentsFor(searched);
  // Terms that only loose posts say have numbers behind the others.
  const { terms } = known.size;
  const further = emptyDictionary();
  const draft = emptyDraft();
  for (const { id, text, created_at, country, language, user_id } of searched.loose) {
    hashOf(id);
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

function search({ searched, question }: { searched: Searched; question: KeywordQuery }): KeywordStats {
  const { segments, lexicon } = prepared(searched);
  return searchSegments(question, segments, lexicon, remembered);
}

/** Who says one of some phrases, for each group of them: different users, ascending. */
function speakers({
  searched,
  groups,
}: {
  searched: Searched;
  groups: readonly (readonly Phrase[])[];
}): BigUint64Array[] {
  const { segments, lexicon } = prepared(searched);
  const found = groups.map((group) => {
    const phrases = group.flatMap((phrase) => knownPhrase(phrase, lexicon) ?? []);
    let users = new BigUint64Array();
    let count = 0;
    for (const segment of phrases.length === 0 ? [] : segments) {
      const authors = segment.users();
      users = grown(users, count + segment.posts);
      forEachPost(postsSaying(segment, phrases), segment.posts, (post) => {
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

/** What the thread that searches can be asked. */
export type SearchAnswers = typeof answers;

const answers = { search, speakers };

answerCalls(answers);
