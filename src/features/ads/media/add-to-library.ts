import type { Actor, NewIds, RowFactory } from '../../../contract/declare/operation.ts';
import { parseMediaKey } from '../../../contract/services/media.ts';
import type { WriteTransaction } from '../../../storage/unit-of-work.ts';
import { accountMedia, creativeTypeOf } from '../account-media.ts';
import { type LibraryRow, libraryRows } from './library-rows.ts';
import { firstFrameKey, type LibraryValues } from './library-values.ts';
import type { MediaDetails } from './usable-media.ts';

/** The context for adding media to a library. */
export interface LibraryContext {
  readonly rowFactory: RowFactory;
  readonly actor: Actor;
}

/**
 * Adds media to the library of an account, or updates its values. The upload no longer expires, and media with a
 * creative type is also added as account media under `ids`. First frames are not added. The caller must hold the
 * lock of the account.
 * @source creatives 3 and 4
 */
export async function addToLibrary(
  tx: WriteTransaction,
  { rowFactory, actor }: LibraryContext,
  media: MediaDetails,
  values: LibraryValues,
  ids: NewIds,
): Promise<LibraryRow | undefined> {
  if (media.isFrame) return undefined;
  const { key, category: media_category, type: media_type } = media;
  const account = actor.account.id;
  const existing = await tx.records.get(libraryRows, { account, id: key }, { deleted: 'hidden', lock: true });
  const poster = media_type === 'IMAGE' ? {} : { poster_media_key: values.poster_media_key ?? firstFrameKey(key) };
  if (existing) {
    if (Object.keys(values).length === 0) return existing;
    const changes = 'poster_media_key' in values ? { ...values, ...poster } : values;
    return (await rowFactory.update(tx, libraryRows, actor, existing, changes)) as LibraryRow;
  }
  const row = { media_category, media_type, ...values, ...poster };
  const added = await rowFactory.create(tx, libraryRows, actor, row, { row: key, change: undefined });
  const creative_type = creativeTypeOf(media);
  if (creative_type) await rowFactory.create(tx, accountMedia, actor, { creative_type, media_key: key }, ids);
  await tx.uploads.markUsed([parseMediaKey(key)!.number]);
  return added as LibraryRow;
}
