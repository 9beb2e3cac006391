import { grown } from './growing-array.ts';

/** Posts that are to become a segment, column by column. */
export interface Draft {
  posts: number;
  /** Of their ids: where a post stands among others, and whether it is part of a sample. */
  hashes: Uint32Array;
  createdAt: Uint32Array;
  countries: Uint16Array;
  languages: Uint16Array;
  /** 0 when it is not known. */
  users: BigUint64Array;
  /** Where the tokens of each end. */
  ends: Uint32Array;
  /** The numbers of all tokens, in the order in which posts say them. */
  tokens: Uint32Array;
  length: number;
}

/** A draft without posts. */
export function emptyDraft(): Draft {
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

/** What is known of a post beside its tokens. */
export interface PostFacts {
  readonly hash: number;
  /** In whole seconds since 1970. */
  readonly createdAt: number;
  readonly country: number;
  readonly language: number;
  readonly user: bigint;
}

/** Begins a post; its tokens follow. */
export function addPost(draft: Draft, { hash, createdAt, country, language, user }: PostFacts): void {
  const at = draft.posts++;
  if (at >= draft.hashes.length) {
    draft.hashes = grown(draft.hashes, at + 1);
    draft.createdAt = grown(draft.createdAt, at + 1);
    draft.countries = grown(draft.countries, at + 1);
    draft.languages = grown(draft.languages, at + 1);
    draft.users = grown(draft.users, at + 1);
    draft.ends = grown(draft.ends, at + 1);
  }
  draft.hashes[at] = hash;
  draft.createdAt[at] = createdAt;
  draft.countries[at] = country;
  draft.languages[at] = language;
  draft.users[at] = user;
  draft.ends[at] = draft.length;
}

/** Adds a token to the last post. */
export function addToken(draft: Draft, term: number): void {
  if (draft.length >= draft.tokens.length) draft.tokens = grown(draft.tokens, draft.length + 1);
  draft.tokens[draft.length++] = term;
  draft.ends[draft.posts - 1] = draft.length;
}
