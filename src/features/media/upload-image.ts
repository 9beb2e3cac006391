import type { Call } from '../../contract/declare/operation.ts';
import { problem } from '../../contract/problems/problems.ts';
import { contentOfFile } from '../../contract/services/objects.ts';
import type { Upload } from '../../contract/store/uploads.ts';
import { addSeconds } from './add-seconds.ts';
import { uploadedFile } from './append-segment.ts';
import { newUpload, requestedCategory, storeNewUpload } from './initialize-upload.ts';
import { ACCEPTED_FILES, defaultCategory } from './media-categories.ts';
import { withoutMetadata } from './metadata/without-metadata.ts';
import { readyKey } from './object-keys.ts';
import { probeFile } from './probe/probe-file.ts';

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
  const found = await probeFile(file.place, expected, uploads);
  if ('fault' in found) throw problem('MEDIA_INVALID', { words: { reason: found.fault } });
  const own = category ?? defaultCategory(found.mime)!;
  const max = uploads[ACCEPTED_FILES[own].bytes_max];
  const words = { category: own.toLowerCase(), max, bytes: file.bytes, raw: file.bytes };
  if (file.bytes > max) throw problem('MEDIA_TOO_LARGE', { parameter: 'media', words });
  const draft = await newUpload(call, own);
  const object_key = readyKey(draft.id, 'whole', secrets);
  const stripped = await withoutMetadata(file.place, found.mime, media.received);
  if (stripped && 'fault' in stripped) throw problem('MEDIA_INVALID', { words: { reason: stripped.fault } });
  const { place, bytes, sha256 } = stripped ?? file;
  try {
    await objects.put(object_key, contentOfFile(place, bytes, sha256));
  } finally {
    if (stripped) await media.received.discard(stripped);
  }
  const upload: Upload = {
    ...draft,
    ...found,
    object_key,
    state: 'succeeded',
    bytes,
    expires_at: addSeconds(call.now, uploads.media_unused_ttl_s),
  };
  await storeNewUpload(call.services, upload);
  return upload;
}
