import { withCapacity } from './growing-array.ts';

/** The posts of a future segment, as columns. */
export interface SegmentDraft {
  posts: number;
  /** Hashes of their ids, which define the order of posts and the samples. */
  hashes: Uint32Array;
  createdAt: Uint32Array;
  countries: Uint16Array;
  languages: Uint16Array;
  /** 0 when unknown. */
  users: BigUint64Array;
  /** The end of the tokens of each post. */
  ends: Uint32Array;
  /** The term numbers of all tokens, in text order. */
  tokens: Uint32Array;
  length: number;
}

/** An empty draft. */
export function emptyDraft(): SegmentDraft {
  return {
    posts: 0,
    hashes: new Uint32Array(),
    createdAt: new Uint32Array(),
    countries: new Uint16Array(),
    languages: new Uint16Array(),
    users: new BigUint64Array(),
    ends: new Uint32Array(),
    tokens: new Uint32Array(),
    length: 0,
  };
}

/** The attributes of a post, without its tokens. */
export interface PostAttributes {
  readonly hash: number;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly country: number;
  readonly language: number;
  readonly user: bigint;
}

/** Starts a post; its tokens follow. */
export function addPost(draft: SegmentDraft, { hash, createdAt, country, language, user }: PostAttributes): void {
  const at = draft.posts++;
  if (at >= draft.hashes.length) {
    draft.hashes = withCapacity(draft.hashes, at + 1);
    draft.createdAt = withCapacity(draft.createdAt, at + 1);
    draft.countries = withCapacity(draft.countries, at + 1);
    draft.languages = withCapacity(draft.languages, at + 1);
    draft.users = withCapacity(draft.users, at + 1);
    draft.ends = withCapacity(draft.ends, at + 1);
  }
  draft.hashes[at] = hash;
  draft.createdAt[at] = createdAt;
  draft.countries[at] = country;
  draft.languages[at] = language;
  draft.users[at] = user;
  draft.ends[at] = draft.length;
}

/** Adds a token to the last post. */
export function addToken(draft: SegmentDraft, term: number): void {
  if (draft.length >= draft.tokens.length) draft.tokens = withCapacity(draft.tokens, draft.length + 1);
  draft.tokens[draft.length++] = term;
  draft.ends[draft.posts - 1] = draft.length;
}
