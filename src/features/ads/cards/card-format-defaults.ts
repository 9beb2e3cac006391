import type { ResourceSpec } from '../../../contract/declare/resource.ts';
import { CREATIVE_READERS, CREATIVE_WRITERS } from '../../../contract/declare/roles.ts';
import { CARD_NUMBER_SEQUENCE, cardUriOf } from './card-uri.ts';

/** Shared declarations of all card formats but component-based cards. @source decision 228 */
export const cardFormatDefaults = {
  idName: 'card',
  scope: 'account',
  roles: { read: CREATIVE_READERS, write: CREATIVE_WRITERS },
  notFound: 'CARD_NOT_FOUND',
  rate: 'account_reads_small',
  // One sequence, because ids are looked up across formats. @source decision 226
  ids: {
    sequence: 'family_card',
    from: 36 ** 4 * 5,
    secondary: { sequence: CARD_NUMBER_SEQUENCE, column: 'card_uri', as: cardUriOf },
  },
  list: { search: 'name', searchMax: 80 },
} as const satisfies Partial<ResourceSpec<{ name: never; card_uri: never }>>;

/** Members of a deleted card in the reply to its deletion. @source creatives 1.7 */
export const DELETED_CARD_MEMBERS = ['name', 'card_type', 'created_at', 'updated_at', 'deleted'] as const;
