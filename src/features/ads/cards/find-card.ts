import type { AnyResource, Row } from '../../../contract/declare/resource.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { type Card, cards } from '../cards.ts';
import { mediaReferences, parseStructure } from './card-structure.ts';
import { isVideoKey } from './card-types.ts';
import { parseCardUri } from './card-uri.ts';
import { imageConversationCards, videoConversationCards } from './conversation-cards.ts';
import { closesAt, type PollCard, pollCards } from './poll-cards.ts';

/** Card formats: component-based cards, and those with a separate endpoint. */
type CardFormat = 'component' | 'poll' | 'video_conversation' | 'image_conversation';

/** The properties of a card for posts and line items. */
export interface ResolvedCard {
  readonly id: string;
  readonly card_uri: string;
  readonly format: CardFormat;
  readonly card_type: string;
  /** A destination is a mobile app. */
  readonly hasApp: boolean;
  /** A destination is a website. */
  readonly hasWebsite: boolean;
  readonly hasVideo: boolean;
  /** The stored row, for rendering. */
  readonly row: Row;
  /** Whether a poll has ended at `now` (UTC text); false for other formats. */
  isClosed(now: string): boolean;
}

/** The card formats other than component-based cards. */
export const OTHER_FORMATS: readonly (readonly [format: CardFormat, kind: AnyResource])[] = [
  ['poll', pollCards],
  ['video_conversation', videoConversationCards],
  ['image_conversation', imageConversationCards],
];

/**
 * Finds the live card of an account with the URI `card://<number>`. Published posts keep a deleted component card,
 * which `deleted: 'shown'` includes.
 * @source decision 1083
 */
export async function findCard(
  tx: ReadTransaction,
  account: string,
  uri: string,
  { deleted = 'hidden' }: { readonly deleted?: 'shown' | 'hidden' } = {},
): Promise<ResolvedCard | undefined> {
  const number = parseCardUri(uri);
  if (number === undefined) return undefined;
  const built = await tx.records.get(cards, { account, id: number }, { deleted });
  if (built) return componentCard(built);
  for (const [format, kind] of OTHER_FORMATS) {
    const [row] = await tx.records.getMany(kind, account, [uri], { deleted: 'hidden', column: 'card_uri' });
    if (row) return otherCard(format, row);
  }
  return undefined;
}

function componentCard(row: Card): ResolvedCard {
  const structure = parseStructure(row);
  const all = structure.components ?? structure.slides!.flat();
  return {
    id: row.id,
    card_uri: row.card_uri!,
    format: 'component',
    card_type: row.card_type!,
    hasApp: all.some(({ destination }) => destination?.type === 'APP'),
    hasWebsite: all.some(({ destination }) => destination?.type === 'WEBSITE'),
    hasVideo: mediaReferences(structure).some(({ key }) => isVideoKey(key)),
    row,
    isClosed: () => false,
  };
}

function otherCard(format: CardFormat, row: Row): ResolvedCard {
  const card_type = String(row.card_type ?? format.toUpperCase());
  return {
    id: row.id,
    card_uri: String(row.card_uri),
    format,
    card_type,
    hasApp: false,
    hasWebsite: false,
    hasVideo: card_type.startsWith('VIDEO'),
    row,
    isClosed: (now) => format === 'poll' && closesAt(row as PollCard) <= now,
  };
}
