import { Type } from '../../../base/json-schema.ts';
import { type Field, field, quoted } from '../../../contract/declare/fields.ts';
import { MEDIA_CATEGORIES, parseMediaKey } from '../../../contract/services/media.ts';
import type { CardStructure } from './card-structure.ts';

/** Types of component-based cards. @source advertising 10 */
const CARD_TYPES = [
  'IMAGE_APP',
  'IMAGE_CAROUSEL_APP',
  'IMAGE_CAROUSEL_WEBSITE',
  'IMAGE_MULTI_DEST_CAROUSEL_WEBSITE',
  'IMAGE_WEBSITE',
  'MIXED_MEDIA_MULTI_DEST_CAROUSEL_WEBSITE',
  'MIXED_MEDIA_SINGLE_DEST_CAROUSEL_APP',
  'MIXED_MEDIA_SINGLE_DEST_CAROUSEL_WEBSITE',
  'VIDEO_APP',
  'VIDEO_CAROUSEL_APP',
  'VIDEO_CAROUSEL_WEBSITE',
  'VIDEO_MULTI_DEST_CAROUSEL_WEBSITE',
  'VIDEO_WEBSITE',
] as const;

/** A card type, for filtering lists. */
export function cardType(): Field<string> {
  const known = new Set<string>(CARD_TYPES);
  return field<string>({
    name: 'card type',
    column: 'text',
    schema: Type.Literals(CARD_TYPES),
    problems: ['UNKNOWN_CARD_TYPE'],
    toJson: (stored) => `"${stored}"`,
    read(raw, parameter) {
      if (typeof raw === 'string' && known.has(raw)) return raw;
      return { problem: 'UNKNOWN_CARD_TYPE', parameter, words: { raw: quoted(raw) } };
    },
  });
}

/** Derives the card type from media, layout and destinations. @source creatives 5.4 */
export function deriveCardType({ components, slides }: CardStructure): string {
  const all = components ?? (slides ?? []).flat();
  const keys = all.flatMap(({ media_key, media_keys }) => media_keys ?? media_key ?? []);
  const kinds = new Set(keys.map(isVideoKey));
  const media = kinds.size > 1 ? 'MIXED_MEDIA' : kinds.has(true) ? 'VIDEO' : 'IMAGE';
  if (slides) return `${media}_MULTI_DEST_CAROUSEL_WEBSITE`;
  const destination = all.some(({ type }) => type === 'BUTTON') ? 'APP' : 'WEBSITE';
  if (!all.some(({ type }) => type === 'SWIPEABLE_MEDIA')) return `${media}_${destination}`;
  return media === 'MIXED_MEDIA' ? `${media}_SINGLE_DEST_CAROUSEL_${destination}` : `${media}_CAROUSEL_${destination}`;
}

/** Tests whether a media key has the prefix of a video category. */
export function isVideoKey(key: string): boolean {
  const { category } = parseMediaKey(key) ?? {};
  return category !== undefined && MEDIA_CATEGORIES[category].type === 'VIDEO';
}
