import type { Call } from '../../contract/declare/operation.ts';
import { problem } from '../../contract/problems/problems.ts';
import type { Upload } from '../../contract/store/uploads.ts';
import { sentFile } from './append.ts';
import { categoryOf, TAKEN } from './categories.ts';
import { asked, later, newUpload, store } from './initialize.ts';
import { probe } from './probe/probe.ts';

/** Takes an image in one call. */
export async function uploadAtOnce(call: Call): Promise<Upload> {
  const { blobs, uploads } = call.services;
  const file = sentFile(call);
  const category = asked(call);
  if (category && category !== 'POST_IMAGE' && category !== 'POST_GIF') {
    throw problem('MEDIA_TYPE_UNKNOWN', { parameter: 'media_category', words: { raw: category.toLowerCase() } });
  }
  const expected = { category: category ?? ('POST_IMAGE' as const), media_type: 'IMAGE' as const, mime: '' };
  const found = await probe(file.place, expected, uploads);
  if ('fault' in found) throw problem('MEDIA_INVALID', { words: { reason: found.fault } });
  const own = category ?? categoryOf(found.mime)!;
  const max = uploads[TAKEN[own].bytes_max];
  const words = { category: own.toLowerCase(), max, bytes: file.bytes, raw: file.bytes };
  if (file.bytes > max) throw problem('MEDIA_TOO_LARGE', { parameter: 'media', words });
  const upload: Upload = {
    ...(await newUpload(call, own)),
    ...found,
    state: 'succeeded',
    bytes: file.bytes,
    expires_at: later(call.now, uploads.media_unused_ttl_s),
  };
  await store(call.services, upload);
  await blobs.adopt(upload.id, file);
  return upload;
}
