import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openSections, writeSections } from '../../base/columns-file.ts';
import { secureRandom } from '../../base/random.ts';
import { answerCalls } from '../../base/threads.ts';
import type { Environment } from '../../contract/declare/account-state.ts';
import type { CorpusPost } from '../../contract/store/corpus.ts';
import { Dictionary, type TermsFile } from './dictionary.ts';
import type { BuiltSegment, BuiltTerms, Scope } from './manifest.ts';
import { DAY_S, unpackPage } from './post-page.ts';
import { everyPost, forEachText } from './segment.ts';
import { SegmentDraft, type TermNumber } from './segment-draft.ts';
import { readSegment } from './segment-files.ts';
import { SegmentWriter } from './segment-writer.ts';
import { hashText, lastHash } from './text-hash.ts';

/** The base of a step: local files of the recorded dictionary. */
interface BuildingBase {
  /** The folder of new files, for this process only. */
  readonly folder: string;
  readonly edition: string;
  readonly terms: readonly TermsFile[];
}

interface Building {
  readonly folder: string;
  readonly edition: string;
  readonly dictionary: Dictionary;
  /** The number of recorded terms; later ones may never be recorded. */
  recorded: number;
  /** The name of the last written file of terms. */
  written: string;
  readonly drafts: Map<string, { readonly scope: Scope; readonly day: number; readonly draft: SegmentDraft }>;
}

/** A step takes seconds and starts with a new folder. */
const ABANDONED_AFTER_MS = 600_000;

let opened: Building | undefined;
const writer = new SegmentWriter();

/** Begins a step on the recorded dictionary; discards leftovers of an earlier step. */
function open({ folder, edition, terms }: BuildingBase): void {
  rmSync(folder, { recursive: true, force: true });
  removeAbandoned(dirname(folder));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const count = terms.at(-1)?.terms ?? 0;
  if (!opened || opened.folder !== folder || opened.edition !== edition || !isPrefix(opened, terms.at(-1)?.path)) {
    opened = { folder, edition, dictionary: new Dictionary(), recorded: 0, written: '', drafts: new Map() };
  }
  const { dictionary, drafts } = opened;
  drafts.clear();
  for (const file of terms) dictionary.read(file);
  if (dictionary.size.terms !== count) throw new Error('the files of terms do not fit together');
  opened.recorded = count;
  opened.written = '';
}

/** Removes the folders of killed processes. @source decision 820 */
function removeAbandoned(parent: string): void {
  if (!existsSync(parent)) return;
  const before_ms = performance.timeOrigin + performance.now() - ABANDONED_AFTER_MS;
  for (const name of readdirSync(parent)) {
    const path = join(parent, name);
    if ((statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? before_ms) < before_ms)
      rmSync(path, { recursive: true, force: true });
  }
}

/** Whether all terms in memory are recorded. */
function isPrefix({ dictionary, recorded, written }: Building, last = ''): boolean {
  return dictionary.size.terms === recorded || (written !== '' && last.includes(written));
}

function draftOf({ drafts }: Building, scope: Scope, day: number): SegmentDraft {
  const key = `${scope} ${day}`;
  let found = drafts.get(key);
  if (!found) {
    found = { scope, day, draft: new SegmentDraft() };
    drafts.set(key, found);
  }
  return found.draft;
}

function adder({ dictionary }: Building): TermNumber {
  return (text, from, to) => dictionary.add(text, from, to);
}

/** Adds pages of imported posts, which count in both environments. @source decision 308 */
function addPages(pages: readonly { readonly day: number; readonly payload: Uint8Array }[]): void {
  const index = opened!;
  const termOf = adder(index);
  for (const { day, payload } of pages) {
    const draft = draftOf(index, 'both', day);
    const { createdAt, countries, languages, ids, users, texts } = unpackPage(payload);
    for (let at = 0; at < ids.length; at++) {
      hashText(ids[at]!);
      draft.startPost({
        hash: lastHash.low,
        createdAt: createdAt[at]!,
        country: countries[at]!,
        language: languages[at]!,
        user: BigInt(users[at]!),
      });
      draft.addText(texts[at]!, termOf);
    }
  }
}

/** Adds local posts. */
function addPosts({ scope, posts }: { readonly scope: Environment; readonly posts: readonly CorpusPost[] }): void {
  const index = opened!;
  const termOf = adder(index);
  for (const post of posts) draftOf(index, scope, Math.floor(post.created_at / DAY_S)).addPost(post, termOf);
}

function newName(prefix: string): string {
  return `${prefix}-${secureRandom.bytes(6).toString('hex')}`;
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

/** Writes the added posts to new segments; `terms` counts all terms. */
function finish(): { readonly segments: readonly BuiltSegment[]; readonly terms: number } {
  const building = opened!;
  const segments = [...building.drafts.values()].map(({ scope, day, draft }) =>
    writeSegment(building, scope, day, draft),
  );
  building.drafts.clear();
  return { segments, terms: building.dictionary.size.terms };
}

/** Writes the terms from this number on to a new file. */
function storeTerms(from: number): BuiltTerms {
  return writeTerms(opened!, from);
}

/** Merges segments of a day. */
function merge({ group, paths }: { readonly group: readonly BuiltSegment[]; readonly paths: readonly string[] }) {
  const draft = new SegmentDraft();
  for (const path of paths) copyInto(draft, path);
  return writeSegment(opened!, group[0]!.scope, group[0]!.day, draft);
}

function copyInto(draft: SegmentDraft, path: string): void {
  const segment = readSegment(path);
  const hashes = segment.column('hashes');
  const createdAt = segment.column('createdAt');
  const countries = segment.column('countries');
  const languages = segment.column('languages');
  const users = segment.column('users');
  forEachText(segment, everyPost(segment), segment.posts, (post, terms, length) => {
    draft.startPost({
      hash: hashes[post]!,
      createdAt: createdAt[post]!,
      country: countries[post]!,
      language: languages[post]!,
      user: users[post]!,
    });
    for (let at = 0; at < length; at++) draft.addToken(terms[at]!);
  });
}

/**
 * Writes all terms to a new file, without the texts of those that occur in none of these segments. Undefined if all terms
 * occur or have lost their texts before.
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

/** Whether all segments and the dictionary can be read. */
function areReadable({
  terms,
  segments,
}: {
  readonly terms: readonly TermsFile[];
  readonly segments: string[];
}): boolean {
  try {
    const dictionary = new Dictionary();
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
