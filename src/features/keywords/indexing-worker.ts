import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openSections, writeSections } from '../../base/columns-file.ts';
import { secureRandom } from '../../base/random.ts';
import { answerCalls } from '../../base/threads.ts';
import { foldText, scanTokens } from '../../base/tokens.ts';
import type { Environment } from '../../contract/declare/account-state.ts';
import type { CorpusPost } from '../../contract/store/corpus.ts';
import { type Dictionary, emptyDictionary, type TermsFile } from './dictionary.ts';
import type { BuiltSegment, BuiltTerms, Scope } from './manifest.ts';
import { countryNumber, DAY_S, languageNumber, unpackPage } from './post-page.ts';
import { everyPost, forEachText } from './segment.ts';
import { addPost, addToken, emptyDraft, type PostAttributes, type SegmentDraft } from './segment-draft.ts';
import { readSegment } from './segment-files.ts';
import { segmentWriter } from './segment-writer.ts';
import { hashText, lastHash } from './text-hash.ts';

/** What an index is built on: the recorded dictionary, in files of this machine. */
export interface BuildingBase {
  /** The folder of the new files of this process, which has nothing else, among those of others. */
  readonly folder: string;
  readonly edition: string;
  readonly terms: readonly TermsFile[];
}

interface Building {
  readonly folder: string;
  readonly edition: string;
  readonly dictionary: Dictionary;
  /** The number of terms that are recorded; what is beyond them may never be. */
  recorded: number;
  /** The last file of terms that was written. */
  written: string;
  readonly drafts: Map<string, { readonly scope: Scope; readonly day: number; readonly draft: SegmentDraft }>;
}

/** Each step begins with a new folder, and takes seconds. */
const ABANDONED_AFTER_MS = 600_000;

let opened: Building | undefined;
const writer = segmentWriter();

/** Begins a step on the recorded dictionary. What an earlier step left behind is dropped. */
function open({ folder, edition, terms }: BuildingBase): void {
  rmSync(folder, { recursive: true, force: true });
  removeAbandoned(dirname(folder));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const count = terms.at(-1)?.terms ?? 0;
  if (!opened || opened.folder !== folder || opened.edition !== edition || !isPrefix(opened, terms.at(-1)?.path)) {
    opened = { folder, edition, dictionary: emptyDictionary(), recorded: 0, written: '', drafts: new Map() };
  }
  const { dictionary, drafts } = opened;
  drafts.clear();
  for (const file of terms) dictionary.read(file);
  if (dictionary.size.terms !== count) throw new Error('the files of terms do not fit together');
  opened.recorded = count;
  opened.written = '';
}

/** Removes the folders that processes left when they were killed. @source decision 820 */
function removeAbandoned(parent: string): void {
  if (!existsSync(parent)) return;
  const before_ms = performance.timeOrigin + performance.now() - ABANDONED_AFTER_MS;
  for (const name of readdirSync(parent)) {
    const path = join(parent, name);
    if ((statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? before_ms) < before_ms)
      rmSync(path, { recursive: true, force: true });
  }
}

/** Whether everything in memory is recorded, or has just been. */
function isPrefix({ dictionary, recorded, written }: Building, last = ''): boolean {
  return dictionary.size.terms === recorded || (written !== '' && last.includes(written));
}

function draftOf({ drafts }: Building, scope: Scope, day: number): SegmentDraft {
  const key = `${scope} ${day}`;
  let found = drafts.get(key);
  if (!found) {
    found = { scope, day, draft: emptyDraft() };
    drafts.set(key, found);
  }
  return found.draft;
}

function addToDraft(draft: SegmentDraft, dictionary: Dictionary, facts: PostAttributes, text: string): void {
  addPost(draft, facts);
  const folded = foldText(text);
  scanTokens(folded, (from, to) => addToken(draft, dictionary.add(folded, from, to)));
}

/** Adds pages of imported posts, which count in both environments. @source decision 308 */
function addPages(pages: readonly { readonly day: number; readonly payload: Uint8Array }[]): void {
  const index = opened!;
  for (const { day, payload } of pages) {
    const draft = draftOf(index, 'both', day);
    const { createdAt, countries, languages, ids, users, texts } = unpackPage(payload);
    for (let at = 0; at < ids.length; at++) {
      hashText(ids[at]!);
      const facts = {
        hash: lastHash.low,
        createdAt: createdAt[at]!,
        country: countries[at]!,
        language: languages[at]!,
        user: BigInt(users[at]!),
      };
      addToDraft(draft, index.dictionary, facts, texts[at]!);
    }
  }
}

/** Adds local posts. */
function addPosts({ scope, posts }: { readonly scope: Environment; readonly posts: readonly CorpusPost[] }): void {
  const index = opened!;
  for (const { id, text, created_at, country, language, user_id } of posts) {
    hashText(id);
    const facts = {
      hash: lastHash.low,
      createdAt: created_at,
      country: countryNumber(country),
      language: languageNumber(language),
      user: BigInt(user_id ?? 0),
    };
    addToDraft(draftOf(index, scope, Math.floor(created_at / DAY_S)), index.dictionary, facts, text);
  }
}

function newName(what: string): string {
  return `${what}-${secureRandom.bytes(6).toString('hex')}`;
}

function writeSegment({ folder, dictionary }: Building, scope: Scope, day: number, draft: SegmentDraft): BuiltSegment {
  const name = newName(`${day}-${scope}`);
  writeSections(join(folder, name), { ...writer.arrange(draft, dictionary.size.terms) });
  return { name, scope, day, posts: draft.posts };
}

function writeTerms(building: Building, from: number, occurring?: Uint8Array): BuiltTerms {
  const name = newName('terms');
  building.written = name;
  return { name, from, ...building.dictionary.write(join(building.folder, name), from, occurring) };
}

/** Writes the added posts to new segments; the number of terms includes new ones. */
function finish(): { readonly segments: readonly BuiltSegment[]; readonly terms: number } {
  const building = opened!;
  const segments = [...building.drafts.values()].map(({ scope, day, draft }) =>
    writeSegment(building, scope, day, draft),
  );
  building.drafts.clear();
  return { segments, terms: building.dictionary.size.terms };
}

/** Writes the terms from a number on to a new file. */
function storeTerms(from: number): BuiltTerms {
  return writeTerms(opened!, from);
}

/** Merges segments of a day. */
function merge({ group, paths }: { readonly group: readonly BuiltSegment[]; readonly paths: readonly string[] }) {
  const draft = emptyDraft();
  for (const path of paths) copyInto(draft, path);
  return writeSegment(opened!, group[0]!.scope, group[0]!.day, draft);
}

function copyInto(draft: SegmentDraft, path: string): void {
  const segment = readSegment(path);
  const [hashes, createdAt, countries] = [
    segment.column('hashes'),
    segment.column('createdAt'),
    segment.column('countries'),
  ];
  const [languages, users] = [segment.column('languages'), segment.column('users')];
  forEachText(segment, everyPost(segment), segment.posts, (post, terms, length) => {
    addPost(draft, {
      hash: hashes[post]!,
      createdAt: createdAt[post]!,
      country: countries[post]!,
      language: languages[post]!,
      user: users[post]!,
    });
    for (let at = 0; at < length; at++) addToken(draft, terms[at]!);
  });
}

/**
 * Writes all terms to a new file, without the texts of those that occur in none of these segments; undefined when all
 * occur, or have lost their texts before.
 */
function forgetTerms(paths: readonly string[]): BuiltTerms | undefined {
  const building = opened!;
  const { dictionary } = building;
  const occurring = new Uint8Array(dictionary.size.terms);
  for (const path of paths) {
    const file = openSections(path);
    try {
      for (const term of file.read('terms') as Uint32Array) occurring[term] = 1;
    } finally {
      file.close();
    }
  }
  const hasOthers = occurring.some((occurs, term) => occurs === 0 && dictionary.text(term) !== '');
  return hasOthers ? writeTerms(building, 0, occurring) : undefined;
}

/** Whether files can be read: all segments, and the terms together. */
function areReadable({
  terms,
  segments,
}: {
  readonly terms: readonly TermsFile[];
  readonly segments: string[];
}): boolean {
  try {
    const dictionary = emptyDictionary();
    for (const file of terms) dictionary.read(file);
    for (const path of segments) readSegment(path);
    return true;
  } catch {
    return false;
  }
}

/** The type of these calls, for the main thread. */
export type IndexingCalls = typeof calls;

const calls = { open, addPages, addPosts, finish, storeTerms, merge, forgetTerms, areReadable };

answerCalls(calls);
