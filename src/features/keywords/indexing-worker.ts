import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeSections } from '../../base/columns-file.ts';
import { secureRandom } from '../../base/random.ts';
import { answerCalls } from '../../base/threads.ts';
import { foldText, scanTokens } from '../../base/tokens.ts';
import type { Environment } from '../../contract/declare/account-state.ts';
import type { CorpusPost } from '../../contract/store/corpus.ts';
import { type Dictionary, emptyDictionary } from './dictionary.ts';
import {
  emptyManifest,
  type Manifest,
  readManifest,
  type Scope,
  type SegmentEntry,
  writeManifest,
} from './manifest.ts';
import { selectForMerge } from './merge-policy.ts';
import { countryNumber, DAY_S, languageNumber, unpackPage } from './post-page.ts';
import { readSegment, readTokens } from './segment.ts';
import { addPost, addToken, emptyDraft, type PostAttributes, type SegmentDraft } from './segment-draft.ts';
import { segmentWriter } from './segment-writer.ts';
import { hashText, lastHash } from './text-hash.ts';

interface Index {
  readonly folder: string;
  manifest: Manifest;
  readonly dictionary: Dictionary;
  /** Posts that are not committed yet, by scope and day. */
  readonly drafts: Map<string, { readonly scope: Scope; readonly day: number; readonly draft: SegmentDraft }>;
}

let opened: Index | undefined;
const writer = segmentWriter();

/** Opens the index of a corpus at its last commit; a missing or damaged index starts empty. */
function open({ folder, mark }: { readonly folder: string; readonly mark: string }): Manifest {
  const found = readManifest(folder);
  if (opened?.folder === folder && opened.drafts.size === 0 && isCurrent(opened.manifest, found, mark)) {
    return opened.manifest;
  }
  opened = found?.mark === mark ? readIndex(folder, found) : undefined;
  opened ??= {
    folder,
    manifest: emptyManifest(mark, secureRandom.bytes(8).toString('hex')),
    dictionary: emptyDictionary(),
    drafts: new Map(),
  };
  removeUnused(opened, opened.manifest);
  return opened.manifest;
}

/** Whether the files match the index in memory: an operator may have removed them. */
function isCurrent(own: Manifest, found: Manifest | undefined, mark: string): boolean {
  if (own.mark !== mark) return false;
  if (!found) return own.pages === 0 && own.segments.length === 0;
  return own.edition === found.edition && own.pages === found.pages && own.segments.length === found.segments.length;
}

function readIndex(folder: string, manifest: Manifest): Index | undefined {
  const within = join(folder, manifest.edition);
  const dictionary = emptyDictionary();
  try {
    dictionary.read(within, manifest);
  } catch {
    return undefined;
  }
  if (!manifest.segments.every(({ name }) => existsSync(join(within, name)))) return undefined;
  return { folder, manifest, dictionary, drafts: new Map() };
}

/** Removes unused files, except those of another manifest. */
function removeUnused({ folder, manifest }: Index, other: Manifest): void {
  if (!existsSync(folder)) return;
  const counting = new Set([...manifest.segments, ...other.segments].map(({ name }) => name));
  for (const name of readdirSync(folder, { withFileTypes: true })) {
    if (!name.isDirectory()) continue;
    if (name.name !== manifest.edition) rmSync(join(folder, name.name), { recursive: true, force: true });
    else {
      for (const file of readdirSync(join(folder, name.name))) {
        if (!counting.has(file) && !file.startsWith('terms.')) rmSync(join(folder, name.name, file), { force: true });
      }
    }
  }
}

function draftOf({ drafts }: Index, scope: Scope, day: number): SegmentDraft {
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

function writeSegment(
  { folder, manifest, dictionary }: Index,
  scope: Scope,
  day: number,
  draft: SegmentDraft,
): SegmentEntry {
  const name = `${day}-${scope}-${secureRandom.bytes(6).toString('hex')}`;
  const path = join(folder, manifest.edition, name);
  writeSections(`${path}.new`, { ...writer.arrange(draft, dictionary.size.terms) });
  renameSync(`${path}.new`, path);
  return { name, scope, day, posts: draft.posts };
}

/** Writes the added posts and commits them. */
function commit({ pages, localPosts }: Pick<Manifest, 'pages' | 'localPosts'>): Manifest {
  const index = opened!;
  const { folder, manifest, dictionary, drafts } = index;
  dictionary.append(join(folder, manifest.edition), manifest);
  const added = [...drafts.values()].map(({ scope, day, draft }) => writeSegment(index, scope, day, draft));
  drafts.clear();
  const segments = [...manifest.segments, ...added];
  return replace(index, { ...manifest, ...dictionary.size, pages, localPosts, segments });
}

/** Merges segments of a day; undefined when there is nothing to merge. */
function merge(): Manifest | undefined {
  const index = opened!;
  const { folder, manifest } = index;
  const group = selectForMerge(manifest.segments);
  if (!group) return undefined;
  const draft = emptyDraft();
  for (const { name } of group) copyInto(draft, join(folder, manifest.edition, name));
  const made = writeSegment(index, group[0]!.scope, group[0]!.day, draft);
  const segments = [...manifest.segments.filter((each) => !group.includes(each)), made];
  return replace(index, { ...manifest, segments });
}

function copyInto(draft: SegmentDraft, path: string): void {
  const segment = readSegment(path);
  const users = segment.users();
  let tokens = new Uint32Array(1024);
  for (let post = 0; post < segment.posts; post++) {
    addPost(draft, {
      hash: segment.hashes[post]!,
      createdAt: segment.createdAt[post]!,
      country: segment.countries[post]!,
      language: segment.languages[post]!,
      user: users[post]!,
    });
    const room = segment.starts[post + 1]! - segment.starts[post]!;
    if (room > tokens.length) tokens = new Uint32Array(room * 2);
    const count = readTokens(segment, post, tokens);
    for (let at = 0; at < count; at++) addToken(draft, tokens[at]!);
  }
}

/** Removes the days before `day`. */
function forget(day: number): Manifest {
  const index = opened!;
  const segments = index.manifest.segments.filter((each) => each.day >= day);
  return segments.length === index.manifest.segments.length
    ? index.manifest
    : replace(index, { ...index.manifest, segments });
}

/** Replaces the manifest. Files of the previous one stay until the next replacement, for running searches. */
function replace(index: Index, manifest: Manifest): Manifest {
  writeManifest(index.folder, manifest);
  removeUnused(index, manifest);
  index.manifest = manifest;
  return manifest;
}

/** Verifies the index; a damaged one is deleted, and rebuilt when it is opened. */
function check(folder: string): void {
  opened = undefined;
  const found = readManifest(folder);
  if (!found) return;
  try {
    for (const { name } of found.segments) readSegment(join(folder, found.edition, name));
  } catch {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Deletes the index, and opens an empty one. */
function discard(which: Parameters<typeof open>[0]): Manifest {
  opened = undefined;
  rmSync(which.folder, { recursive: true, force: true });
  return open(which);
}

/** The type of these calls, for the main thread. */
export type IndexingCalls = typeof calls;

const calls = { open, addPages, addPosts, commit, merge, forget, check, discard };

answerCalls(calls);
