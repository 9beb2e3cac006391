import { formatInstant } from '../../src/base/instants.ts';
import type { CorpusPost } from '../../src/contract/store/corpus.ts';
import type { Post } from '../../src/contract/store/posts.ts';
import { importPosts as runImport } from '../../src/features/keywords/import/import-posts.ts';
import type { World } from './world.ts';

/** A post of which nothing is known but what a test says. */
export function post(id: string, text: string, known: Partial<CorpusPost> = {}): CorpusPost {
  const created_at = Date.parse('2026-03-01T12:00:00Z') / 1000;
  return { id, text, created_at, country: null, language: 'en', user_id: null, ...known };
}

const QUIET = { stored: () => {}, rejected: () => {} };
let sources = 0;

/** Takes posts into the corpus of a world, as an import does. */
export async function importPosts(world: World, posts: readonly CorpusPost[]) {
  const { store, clock, settings } = world.service;
  const name = `test:${++sources}`;
  return runImport({ store, clock, settings }, { name, posts: () => [posts] }, QUIET);
}

let made = 0;

/** Stores posts as if they had been made in the sandbox of a world; the answer is what they are. */
export async function madeHere(
  world: World,
  posts: readonly Omit<CorpusPost, 'id'>[],
  known: Partial<Post> = {},
): Promise<CorpusPost[]> {
  const stored = posts.map((each) => ({ ...each, id: String(1_900_000_000_000_000_000n + BigInt(++made)) }));
  await world.service.store.write(async (tx) => {
    for (const each of stored) await tx.posts.add(postMadeHere(each, known));
  });
  return stored;
}

/** A row of a post in the sandbox. */
export function postMadeHere(
  { id, text, created_at, user_id, language }: Omit<CorpusPost, 'country'>,
  known: Partial<Post> = {},
): Post {
  return {
    id,
    environment: 'sandbox',
    account_id: null,
    user_id: user_id!,
    contributor_id: null,
    text,
    name: null,
    nullcast: 0,
    starts_with_mention: 0,
    card_uri: null,
    media_keys: '[]',
    conversation_settings: 'EVERYONE',
    video_title: null,
    video_description: null,
    video_cta: null,
    video_cta_value: null,
    repost_of: null,
    lang: language,
    created_at: formatInstant(created_at * 1000),
    ...known,
  };
}
