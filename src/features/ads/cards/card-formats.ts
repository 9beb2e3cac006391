import { type Field, text } from '../../../contract/declare/fields.ts';
import type { RequestRules, ResourceSpec } from '../../../contract/declare/resource.ts';
import { CREATIVE_ROLES } from '../../../contract/declare/roles.ts';
import type { MediaDetails } from '../media/usable-media.ts';
import { cardUriOf } from './card-uri.ts';

/** Members of a deleted card in the reply to its deletion. @source creatives 1.7 */
export const DELETED_CARD_MEMBERS = ['name', 'card_type', 'created_at', 'updated_at', 'deleted'] as const;

/** Shared declarations of all card formats except component-based cards. @source decision 228 */
export const cardFormatDefaults = {
  idName: 'card',
  scope: 'account',
  roles: CREATIVE_ROLES,
  notFound: 'CARD_NOT_FOUND',
  rate: 'account_reads_small',
  // All formats share both sequences, because ids are looked up across formats. @source decision 226
  ids: {
    sequence: 'family_card',
    from: 36 ** 4 * 5,
    secondary: { sequence: 'card', column: 'card_uri', as: cardUriOf },
  },
  list: { search: 'name', searchMax: 80 },
  deletion: { hard: { fields: DELETED_CARD_MEMBERS } },
} as const satisfies Partial<ResourceSpec<{ name: never; card_uri: never }>>;

/** The parameters of a create or update request. */
export type RequestInput = Parameters<NonNullable<RequestRules['validate']>>[0];

/** Tests whether a parameter was sent and is not empty; an invalid value counts. */
export function hasValue({ input, named }: RequestInput, name: string): boolean {
  return named.has(name) && input[name] !== null;
}

/** A computed text about media. */
export function mediaText(description: string): Field<string> {
  return text({ max: 2000 }).describe(description);
}

/** Returns width and height in pixels, as strings. */
export function pixelSize({ width, height }: MediaDetails): readonly [string, string] {
  return [String(width ?? 0), String(height ?? 0)];
}

/** Returns width and height of the aspect ratio in lowest terms, as strings. */
export function aspectRatioOf({ aspect_ratio }: MediaDetails): readonly [string, string] {
  const [width = '0', height = '0'] = (aspect_ratio ?? '').split(':');
  return [width || '0', height];
}
