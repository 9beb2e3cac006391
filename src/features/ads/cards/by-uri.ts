import type { AnyResource, Row } from '../../../contract/declare/resource.ts';
import type { Reading } from '../../../contract/store/store.ts';
import { type Card, cards } from '../cards.ts';
import { isVideo } from './card-types.ts';
import { numberIn } from './card-uri.ts';
import { imageConversationCards } from './image-conversation-cards.ts';
import { type PollCard, pollCards } from './poll-cards.ts';
import { closesAt } from './poll-shown.ts';
import { mediaIn, structureOf } from './structure.ts';
import { videoConversationCards } from './video-conversation-cards.ts';

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
  /** The stored row, for whoever shows it. */
  readonly row: Row;
  /** Whether nobody may take part any more, as of a UTC text: a poll whose end has come. No other card closes. */
  isClosed(now: string): boolean;
}

const OTHERS: readonly (readonly [family: CardFamily, kind: AnyResource])[] = [
  ['poll', pollCards],
  ['video_conversation', videoConversationCards],
  ['image_conversation', imageConversationCards],
];

/** The live card of an account that an address of the form `card://<number>` names; undefined when there is none. */
export async function cardOf(tx: Reading, account: string, uri: string): Promise<KnownCard | undefined> {
  const number = numberIn(uri);
  if (number === undefined) return undefined;
  const built = await tx.records.get(cards, { account, id: number }, { deleted: 'hidden' });
  if (built) return ofComponents(built);
  for (const [family, kind] of OTHERS) {
    const [row] = await tx.records.many(kind, account, [uri], { deleted: 'hidden', column: 'card_uri' });
    if (row) return ofFamily(family, row as unknown as Row);
  }
  return undefined;
}

function ofComponents(row: Card): KnownCard {
  const structure = structureOf(row);
  const all = structure.components ?? structure.slides!.flat();
  return {
    id: row.id,
    card_uri: row.card_uri!,
    family: 'component',
    card_type: row.card_type!,
    hasApp: all.some(({ destination }) => destination?.type === 'APP'),
    hasWebsite: all.some(({ destination }) => destination?.type === 'WEBSITE'),
    hasVideo: mediaIn(structure).some(({ key }) => isVideo(key)),
    row: row as unknown as Row,
    isClosed: () => false,
  };
}

function ofFamily(family: CardFamily, row: Row): KnownCard {
  const card_type = String(row.card_type ?? family.toUpperCase());
  return {
    id: row.id,
    card_uri: String(row.card_uri),
    family,
    card_type,
    hasApp: false,
    hasWebsite: false,
    hasVideo: card_type.startsWith('VIDEO'),
    row,
    isClosed: (now) => family === 'poll' && closesAt(row as unknown as PollCard) <= now,
  };
}
