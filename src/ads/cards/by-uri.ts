import type { Reading } from '../../contract/store.ts';

/** The families of cards: what is built from components, and what has a path of its own. */
export type CardFamily = 'component' | 'poll' | 'video_conversation' | 'image_conversation';

/** A card as posts and line items need to know it. */
export interface KnownCard {
  readonly id: string;
  readonly card_uri: string;
  readonly family: CardFamily;
  readonly card_type: string;
  /** It leads to an application of a store. */
  readonly hasApp: boolean;
  /** It leads to a page of the web. */
  readonly hasWebsite: boolean;
  readonly hasVideo: boolean;
  /** Whether nobody may take part any more, as of a UTC text: a poll whose end has come. No other card closes. */
  isClosed(now: string): boolean;
}

/** The live card of an account that an address of the form `card://<number>` names; undefined when there is none. */
export type CardOf = (tx: Reading, account: string, uri: string) => Promise<KnownCard | undefined>;
