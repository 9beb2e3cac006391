import type { Call } from '../../contract/declare/operation.ts';
import { problem } from '../../contract/problems/problems.ts';
import { contentOfFile } from '../../contract/services/objects.ts';
import type { Upload } from '../../contract/store/uploads.ts';
import { addSeconds } from './add-seconds.ts';
import { uploadedFile } from './append-segment.ts';
import { newUpload, requestedCategory, storeNewUpload } from './initialize-upload.ts';
import { ACCEPTED_FILES, defaultCategory } from './media-categories.ts';
import { readyKey } from './object-keys.ts';
import { shownFile } from './shown-file.ts';

/** Uploads an image or GIF in one call. @source decision 188 */
export async function uploadImage(call: Call): Promise<Upload> {
  const { media, objects, secrets } = call.services;
  const { uploadRules: uploads } = media;
  const file = uploadedFile(call);
  const category = requestedCategory(call);
  if (category && category !== 'POST_IMAGE' && category !== 'POST_GIF') {
    throw problem('MEDIA_TYPE_UNKNOWN', { parameter: 'media_category', words: { raw: category.toLowerCase() } });
  }
  const expected = { category: category ?? ('POST_IMAGE' as const), media_type: 'IMAGE' as const, mime: '' };
  // Images are converted at once.
  const shown = (await shownFile(file.place, expected, media))!;
  if ('fault' in shown) throw problem('MEDIA_INVALID', { words: { reason: shown.fault } });
  const { properties, copy } = shown;
  try {
    const own = category ?? defaultCategory(properties.mime)!;
    const max = uploads[ACCEPTED_FILES[own].bytes_max];
    const words = { category: own.toLowerCase(), max, bytes: file.bytes, raw: file.bytes };
    if (file.bytes > max) throw problem('MEDIA_TOO_LARGE', { parameter: 'media', words });
    const draft = await newUpload(call, own);
    const object_key = readyKey(draft.id, 'whole', secrets);
    const { place, bytes, sha256 } = copy ?? file;
    await objects.put(object_key, contentOfFile(place, bytes, sha256));
    const upload: Upload = {
      ...draft,
      ...properties,
      object_key,
      state: 'succeeded',
      bytes,
      expires_at: addSeconds(call.now, uploads.media_unused_ttl_s),
    };
    await storeNewUpload(call.services, upload);
    return upload;
  } finally {
    if (copy) await media.received.discard(copy);
  }
}
