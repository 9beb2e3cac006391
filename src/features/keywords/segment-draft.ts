import { foldText, scanTokens } from '../../base/tokens.ts';
import type { CorpusPost } from '../../contract/store/corpus.ts';
import { withCapacity } from './growing-array.ts';
import { countryNumber, languageNumber } from './post-page.ts';
import { hashText, lastHash } from './text-hash.ts';

/** The attributes of a post, without its tokens. */
interface PostAttributes {
  readonly hash: number;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly country: number;
  readonly language: number;
  readonly user: bigint;
}

/** Returns the number of the term `text[from..to]`. */
export type TermNumber = (text: string, from: number, to: number) => number;

/** Collects the posts of a new segment as columns. */
export class SegmentDraft {
  posts = 0;
  /** Hashes of their ids, which define the order of posts and the samples. */
  hashes = new Uint32Array();
  createdAt = new Uint32Array();
  countries = new Uint16Array();
  languages = new Uint16Array();
  /** 0 when unknown. */
  users = new BigUint64Array();
  /** The end of the tokens of each post. */
  ends = new Uint32Array();
  /** The term numbers of all tokens, in text order. */
  tokens = new Uint32Array();
  length = 0;

  /** Starts a post; its tokens follow. */
  startPost({ hash, createdAt, country, language, user }: PostAttributes): void {
    const at = this.posts++;
    if (at >= this.hashes.length) {
      this.hashes = withCapacity(this.hashes, at + 1);
      this.createdAt = withCapacity(this.createdAt, at + 1);
      this.countries = withCapacity(this.countries, at + 1);
      this.languages = withCapacity(this.languages, at + 1);
      this.users = withCapacity(this.users, at + 1);
      this.ends = withCapacity(this.ends, at + 1);
    }
    this.hashes[at] = hash;
    this.createdAt[at] = createdAt;
    this.countries[at] = country;
    this.languages[at] = language;
    this.users[at] = user;
    this.ends[at] = this.length;
  }

  /** Adds a token to the last post. */
  addToken(term: number): void {
    if (this.length >= this.tokens.length) this.tokens = withCapacity(this.tokens, this.length + 1);
    this.tokens[this.length++] = term;
    this.ends[this.posts - 1] = this.length;
  }

  /** Adds the tokens of a text to the last post. */
  addText(text: string, termOf: TermNumber): void {
    const folded = foldText(text);
    scanTokens(folded, (from, to) => this.addToken(termOf(folded, from, to)));
  }

  /** Adds a post with its tokens. */
  addPost({ id, text, created_at: createdAt, country, language, user_id }: CorpusPost, termOf: TermNumber): void {
    hashText(id);
    this.startPost({
      hash: lastHash.low,
      createdAt,
      country: countryNumber(country),
      language: languageNumber(language),
      user: BigInt(user_id ?? 0),
    });
    this.addText(text, termOf);
  }
}
